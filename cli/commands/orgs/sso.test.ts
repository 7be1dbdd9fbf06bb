// svc orgs sso and svc login --org, against the whole API and a real identity provider.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { newId } from '#core/kernel/ids.ts';
import { createWorld, type World } from '#test/api/world.ts';
import { CLIENT, realProvider, type TestProvider } from '#test/support/identity-providers.ts';
import { SsoBrowser } from '#test/support/sso.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { lines, makeTool, type Tool } from '../../test/tool.ts';

let provider: TestProvider;
let world: World;
let tool: Tool;
beforeAll(async () => {
  provider = await realProvider(['http://localhost:8080/v1/auth/sso/callback/acme-cli']);
  world = await createWorld({ ssoLocalHosts: [provider.host] });
  tool = await makeTool(world.url, '/nowhere');
  const { organization_id } = await world.as('ada').organizations.create({ body: { slug: 'acme-cli', name: 'Acme' } });
  await world.ctx.db('organization_domains').insert({ domain_id: newId('dom'), organization_id, domain: 'acme.example', nonce: 'n', state: 'verified', verified_at: new Date(), checked_at: new Date(), created_at: new Date() }); // prettier-ignore
});
afterAll(async () => {
  await tool.remove();
  await world.close();
  await provider.close();
});

const asAda = (argv: string[], stdin?: string) => tool.run(argv, { env: { SVC_TOKEN: world.tokens.ada }, ...(stdin !== undefined && { stdin: lines(stdin) }) });

test('a connection is made with its secret from standard input; svc login --org signs in by it', async () => {
  expect((await asAda(['orgs', 'sso', 'acme-cli'])).out).toContain('http://localhost:8080/v1/auth/sso/callback/acme-cli');
  const connect = ['orgs', 'sso', 'connect', 'acme-cli', '--issuer', provider.issuer, '--client-id', CLIENT.client_id, '--client-secret', '@-'];
  expect(await asAda(connect, CLIENT.client_secret)).toMatchObject({ code: EXIT.usage });
  const made = await asAda([...connect, '--domain', 'acme.example', '--role', 'operator'], CLIENT.client_secret);
  expect(made).toMatchObject({
    code: EXIT.ok,
    out: expect.stringContaining('become members as operator'),
    err: expect.stringContaining('svc login --org acme-cli'),
  });
  expect(made.out + made.err).not.toContain(CLIENT.client_secret);
  expect(await asAda(['orgs', 'sso', 'require', 'acme-cli'])).toMatchObject({ code: EXIT.failure, err: expect.stringContaining('svc login --org acme-cli') });

  const login = tool.spawn(['login', '--org', 'acme-cli', '--no-open', '--json']);
  const [, address = ''] = await login.saw(/(http\S+\/v1\/auth\/sso\/start\?\S+)/);
  provider.person = { sub: 'eve', email: 'eve@acme.example', email_verified: true };
  const browser = new SsoBrowser(world.url);
  const done = await browser.send('GET', await browser.atProvider(await browser.start(Object.fromEntries(new URL(address).searchParams))));
  const { redirect_to } = z.looseObject({ redirect_to: z.string() }).parse(done.body);
  expect(await (await fetch(redirect_to)).text()).toContain('You are signed in');
  const { code, out } = await login.ended;
  expect({ code, out: JSON.parse(out) }).toMatchObject({ code: 0, out: { email: 'eve@acme.example', operator: false, acts_only_for: { slug: 'acme-cli' } } });
  expect((await tool.run(['whoami'])).out).toContain('eve@acme.example, for acme-cli only at ');
  const elsewhere = await tool.run(['agents', '--org', 'elsewhere-co']);
  expect(elsewhere).toMatchObject({ code: EXIT.failure, err: expect.stringContaining('act for acme-cli only') });
  expect(elsewhere.err).toContain('svc login');
  expect(JSON.parse((await tool.run(['orgs', 'list', '--json'])).out)).toMatchObject([{ slug: 'acme-cli', role: 'operator' }]);
  expect(await asAda(['orgs', 'sso', 'remove', 'acme-cli'])).toMatchObject({ code: EXIT.ok });
  // The token of the connection is over with it.
  expect((await tool.run(['whoami'])).code).not.toBe(EXIT.ok);
});

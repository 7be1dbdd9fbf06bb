// svc import and svc auth, against the whole API and agents of the official servers.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { certificates } from '#imports/test/certificates.ts';
import { a2aRemote, hostOf, mcpRemote, type Remote } from '#imports/test/remotes.ts';
import { createWorld, type World } from '#test/api/world.ts';
import { cites } from '#test/spec/verifies.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { lines, makeTool, type Tool } from '../../test/tool.ts';

let world: World;
let tool: Tool;
let remotes: Remote[];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-auth-'));
  const securitySchemes = { key: { apiKeySecurityScheme: { location: 'header', name: 'x-key' } } };
  remotes = await Promise.all([
    a2aRemote({ card: { name: 'Weather', securitySchemes, securityRequirements: [{ schemes: { key: { list: [] } } }] } }),
    mcpRemote({ guardsCard: true, admits: ({ headers }) => headers['x-api-key'] === 'k-1' }),
  ]);
  world = await createWorld({ importLocalHosts: remotes.map(hostOf) });
  tool = await makeTool(world.url, '/nowhere');
});
afterAll(async () => {
  await tool.remove();
  await world.close();
  await Promise.all(remotes.map((one) => one.close()));
  await rm(folder, { recursive: true });
});
const run = (argv: string[], stdin?: string) => tool.run(argv, { env: { SVC_TOKEN: world.tokens.ada }, ...(stdin !== undefined && { stdin: lines(stdin) }) });
const address = (at: number): string => remotes[at]?.url ?? '';

test('import says what it is called here, how it is called, and what it asks for', cites('agents.import'), async () => {
  const made = await run(['import', address(0)]);
  expect(made).toMatchObject({
    code: EXIT.ok,
    out: expect.stringMatching(/^weather 2\.1\.0 is imported \(a2a 1\.0\)\.\nAddress {2}http:\/\/weather\.localhost:8080\nSkills {3}say_it/),
  });
  expect(made.err).toMatch(/svc auth status weather[\s\S]*svc call weather say_it/);
  expect(JSON.parse((await run(['import', address(0), '--name', 'rain', '--public', '--json'])).out)).toMatchObject({ name: 'rain', visibility: 'public' });
});

test('import with a first credential, from standard input; and what is wrong with a command line', async () => {
  const url = `${address(1)}/mcp`;
  expect(await run(['import', url])).toMatchObject({ code: EXIT.failure, err: expect.stringContaining('--auth-bearer, --auth-api-key') });
  expect(await run(['import', url, '--auth-api-key', 'k-1'])).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('--auth-name') });
  expect(await run(['import', url, '--auth-api-key', 'k', '--auth-bearer', 'b'])).toMatchObject({ code: EXIT.usage });
  expect(await run(['import', url, '--auth-api-key', 'k', '--auth-name', 'x', '--auth-location', 'cookie'])).toMatchObject({ code: EXIT.usage });
  expect(await run(['import', url, '-n', 'tools', '--auth-api-key', '@-', '--auth-name', 'x-api-key', '--private'], 'k-1')).toMatchObject({ code: EXIT.ok });
  expect(await run(['import', 'http://10.0.0.1'])).toMatchObject({ code: EXIT.failure, err: expect.stringContaining('SVC_IMPORT_LOCAL_HOSTS') });
});

test('auth: each kind is stored, shown without its value, and deleted', cites('agentAuth.status', 'agentAuth.connect', 'agentAuth.disconnect'), async () => {
  const pki = await certificates();
  const at = (name: string): string => join(folder, name);
  await Promise.all([
    writeFile(at('cert'), pki.client.cert),
    writeFile(at('key'), pki.client.key),
    writeFile(at('ca'), pki.ca),
    writeFile(at('token'), 't0ken\n'),
  ]);
  expect((await run(['auth', 'status', 'weather'])).err).toContain('Missing: svc auth api-key weather --scheme-name key');
  const stored: [string, ...string[]][] = [
    ['api-key', '--name', 'x-key', '--value', 'v4lue', '--scheme-name', 'key'],
    ['bearer', '--token', `@${at('token')}`, '--scheme', 'Token'],
    ['mtls', '--cert', at('cert'), '--key', at('key'), '--ca', at('ca')],
    ['oauth-token', '--access-token', 'acc3ss', '--refresh-token', 'refr3sh', '--token-url', `${address(0)}/token`, '--client-id', 'svc', '--client-secret', 's3cret', '--expires-in', '60'],
    ['oauth-token', '--access-token', 'acc3ss', '--scheme-type', 'oidc'],
  ]; // prettier-ignore
  for (const [kind, ...rest] of stored)
    expect(await run(['auth', kind, 'weather', ...rest])).toMatchObject({
      code: EXIT.ok,
      out: expect.stringMatching(/^Connection \d+ \(\w+\) is stored\.\n$/),
    });
  const shown = await run(['auth', 'status', 'weather']);
  expect(shown.out).toMatch(/ASKED FOR +KIND +AS +CONFIGURED\nkey +api_key +header x-key +yes/);
  expect(shown.out).toMatch(/\d+ +bearer +bearer +ready[\s\S]*\d+ +mtls +mtls +ready +\d{4}-[\s\S]*oauth2[\s\S]*not yet[\s\S]*oidc/);
  const json = (await run(['auth', 'status', 'weather', '--json'])).out;
  expect(json + shown.out + shown.err).not.toMatch(/v4lue|t0ken|acc3ss|refr3sh|s3cret|PRIVATE/);
  const [first] = (JSON.parse(json) as { connections: { connection_id: number }[] }).connections;
  expect(await run(['auth', 'delete', 'weather', String(first?.connection_id)])).toMatchObject({ code: EXIT.ok });
  expect(await run(['auth', 'delete', 'weather', String(first?.connection_id)])).toMatchObject({
    code: EXIT.failure,
    err: expect.stringContaining('svc auth status weather'),
  });
  expect(await run(['auth', 'delete', 'weather', 'x'])).toMatchObject({ code: EXIT.usage });
  expect(await run(['auth', 'mtls', 'weather', '--cert', at('none'), '--key', at('key')])).toMatchObject({
    code: EXIT.usage,
    err: expect.stringContaining('ENOENT'),
  });
  expect(await run(['auth', 'bearer', world.records['name'] ?? '', '--token', 'x'])).toMatchObject({
    code: EXIT.failure,
    err: expect.stringContaining('secrets set'),
  });
});

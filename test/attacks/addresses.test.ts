// Server-side request forgery: every declared route that takes an address or a host name, with addresses that
// lead into the platform's own network. The fields are found in the contract: a new one fails here until
// TAKEN says what becomes of it, and where it is connected to, it gets the whole list.
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer, type AddressInfo, type Server as NetServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { library } from '#core/imports/openapi/test/library.ts';
import { createLookup } from '#drivers/outbound/lookup.ts';
import { a2aRemote, hostOf, type Remote } from '#imports/test/remotes.ts';
import { callRoute } from '../api/call.ts';
import { INTERNAL, LOOPBACK, ODD } from '../api/hostile.ts';
import { createWorld, ROUTES, type World } from '../api/world.ts';
import { cites } from '../spec/verifies.ts';
import { testDns, type TestDns } from '../support/dns.ts';
import { addressFields, bodiesWithoutSchema } from './address-fields.ts';

interface Connected {
  body(address: string): object;
  /** The address is stored and connected to afterwards; what the answer says of it then. */
  said?(answer: unknown): unknown;
  /** `host:port` of ours from which it may lead elsewhere by a redirect. */
  redirects: boolean;
  /** Status where nothing was read at the address, whatever the reason. */
  unreadable?: number;
}

let world: World;
let remote: Remote;
let front: Server;
let names: TestDns;
/** Where no connection may arrive: on all addresses of this machine, of both families. */
let inside: NetServer;
let port: number;
let frontAt: string;
let movesTo = '';
const arrived: string[] = [];

const tokens = (token_url: string): object => ({ kind: 'oauth2', access_token: 'a', refresh_token: 'r', token_url, client_id: 'c', expires_in: 1 });

/** By route, place and path of the field. */
const CONNECTED: Record<string, Connected> = {
  'agents.import body url': { body: (url) => ({ url }), redirects: true },
  'agents.openapiPreview body url': { body: (url) => ({ url }), redirects: true },
  'agents.fromOpenapi body url': { body: (url) => ({ url }), redirects: true },
  'llmCreds.put body base_url': {
    body: (base_url) => ({ name: 'mine', provider: 'openai_compatible', model: 'm', base_url, api_key: 'k', probe: true }),
    said: (answer) => z.object({ check: z.object({ code: z.string().nullable() }) }).safeParse(answer).data?.check.code,
    redirects: true,
  },
  'agents.import body auth.token_url': { body: (token_url) => ({ url: remote.url, auth: tokens(token_url) }), redirects: false },
  'agentAuth.connect body token_url': { body: tokens, redirects: false },
  'organizationSso.put body issuer': {
    body: (issuer) => ({ issuer, client_id: 'c', client_secret: 's', domains: ['tides.test'] }),
    redirects: true,
    unreadable: 502,
  },
};

/** Fields that nothing of the platform connects to, and why. */
const NOT_CONNECTED: Record<string, string> = {
  'kernelEvolution.start body spec.script[].target': 'the name of an actor in the same specification',
  'kernelSimulations.start body spec.script[].target': 'the name of an actor in the same specification',
  'agents.openapiPreview body base_url': 'Only written into the preview.',
  'agents.fromOpenapi body base_url': 'Written into the source of the agent, whose calls leave through the egress proxy: host/egress/policy.test.ts.',
  'agents.addDomain body hostname':
    'Asked of name servers, for TXT and address records; no connection: core/agents/domain/hostname.test.ts says which names are taken.',
  'agents.verifyDomain params hostname': 'Of a domain that was added.',
  'organizations.addDomain body domain': 'Asked of name servers, for a TXT record; no connection: core/orgs/domain/domains.test.ts.',
  'organizations.verifyDomain params domain': 'Of a domain that was claimed.',
  'organizations.removeDomain params domain': 'Of a domain that was claimed.',
  'agents.removeDomain params hostname': 'Of a domain that was added.',
  'agents.postEndpoint params endpoint_name': 'Names a skill.',
  'agents.patchEndpoint params endpoint_name': 'Names a skill.',
  'agents.deleteEndpoint params endpoint_name': 'Names a skill.',
  'agents.putEndpoint params endpoint_name': 'Names a skill.',
  'agentSecrets.upsert body inject.host': 'The egress proxy connects to it for the agent, under the same rules: host/egress/inject.test.ts.',
  'platform.createScmToken body repository': 'Name of an agent.',
};
/** Bodies whose fields no schema names, and what they may hold. */
const NOT_READ: Record<string, string> = {
  'agents.fromTarball': 'An archive of source, built in a machine that reaches what its egress policy allows.',
  'files.upload': 'A file.',
  'fileUploads.append': 'A part of a file.',
  'workspaceGrants.write': 'A file.',
  'billing.webhook': 'A signed event: it names an object, which is read at the payment processor.',
  'scmWebhooks.runtimePush': 'A signed payload; the repository is found by its name, and none of its addresses is connected to: sent below.',
  'scmWebhooks.sourcePush': 'A signed payload; the repository is found by its name, and none of its addresses is connected to: sent below.',
};

beforeAll(async () => {
  inside = createServer((socket: Socket) => {
    arrived.push(`${socket.localAddress}:${socket.localPort}`);
    socket.destroy();
  });
  await new Promise<void>((resolve) => inside.listen({ port: 0, host: '::', ipv6Only: false }, resolve));
  port = portOf(inside);
  front = createHttpServer((request, response) => {
    if (request.url === '/openapi.json') return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(library));
    response.writeHead(302, { location: movesTo }).end();
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  frontAt = `127.0.0.1:${portOf(front)}`;
  [remote, names] = await Promise.all([a2aRemote(), testDns()]);
  for (const [name, address] of Object.entries(LEADING_INSIDE)) names.set(address.includes(':') ? 'AAAA' : 'A', name, ...address.split(' '));
  // A name in /etc/hosts would be an answer, and is none here.
  const lookup = createLookup({ servers: [names.address], hostsFile: '/dev/null' });
  const rebinding: typeof lookup = async (host, trusted) => {
    const found = await lookup(host, trusted);
    // A second lookup gets another answer than the checked one.
    if (host === REBINDING) {
      names.set('AAAA', host);
      names.set('A', host, '127.0.0.1');
    }
    return found;
  };
  const allowed = [frontAt, hostOf(remote)];
  world = await createWorld({ importLocalHosts: allowed, llmLocalHosts: allowed, ssoLocalHosts: allowed, lookup: rebinding });
  const { name } = await world.as('ada').agents.import({ body: { url: remote.url, name: 'elsewhere' } });
  world.records['agentAuth.connect.name'] = name;
});
afterAll(async () => {
  await world?.close();
  await remote?.close();
  await names?.close();
  front?.close();
  inside?.close();
});

const portOf = (server: { address(): AddressInfo | string | null }): number => Number(Object(server.address()).port);

const REBINDING = 'rebinding.test';
/** An internet address outside the refused ranges that never answers. */
const NOBODYS = '2d00::1';
const LEADING_INSIDE: Record<string, string> = {
  'loopback.test': '127.0.0.1',
  'six.test': '::1',
  'mapped.test': '::ffff:127.0.0.1',
  'translated.test': '64:ff9b::7f00:1',
  'any.test': '0.0.0.0',
  'several.test': '127.0.0.1 10.0.0.1 169.254.169.254',
  'private.test': '10.0.0.1',
  'metadata.test': '169.254.169.254',
};
const own = (): string[] =>
  Object.values(networkInterfaces())
    .flat()
    .flatMap((one) => (one && !one.internal ? [`https://${one.family === 'IPv6' ? `[${one.address}]` : one.address}:PORT/x`] : []));

const at = (address: string): string => address.replaceAll('PORT', String(port));

/** Status, text of the answer, and what it says of an address that was connected to afterwards. */
async function sent(field: string, address: string): Promise<{ status: number; text: string; said: unknown }> {
  const { body, said } = CONNECTED[field] ?? expect.fail(field);
  const id = field.split(' ')[0] ?? '';
  const route = ROUTES.find((one) => one.id === id) ?? expect.fail(id);
  const answer = await callRoute(world, route, 'ada', { body: JSON.stringify(body(address)) });
  const text = await answer.text();
  return { status: answer.status, text, said: answer.ok && said ? said(JSON.parse(text)) : undefined };
}

/** A refusal; or stored, and found not to be reachable. */
async function expectRefused(field: string, address: string): Promise<void> {
  const { status, text, said } = await sent(field, address);
  // What is stored and refused where it is connected to is refused.
  if (status === 201 && field.endsWith('token_url')) return expectTokensRefused(address);
  const refused = [400, 422, CONNECTED[field]?.unreadable].includes(status) || (status === 201 || status === 200 ? said === 'model_unreachable' : false);
  expect.soft({ address, refused, status, said, text: refused ? '' : text.slice(0, 300) }).toMatchObject({ refused: true });
}

test('every field that takes an address or a host name is in one of the lists, and no list names another', () => {
  expect(Object.keys({ ...CONNECTED, ...NOT_CONNECTED }).toSorted()).toEqual(addressFields(ROUTES).toSorted());
  expect(Object.keys(NOT_READ).toSorted()).toEqual(bodiesWithoutSchema(ROUTES).toSorted());
});

describe.each(Object.keys(CONNECTED))('%s', (field) => {
  test('addresses inside, in every form', cites('routes.success'), async () => {
    for (const address of [...LOOPBACK, ...INTERNAL, ...ODD, ...own()].map(at)) await expectRefused(field, address);
    expect(arrived).toEqual([]);
  });

  test('names that lead inside, and one that leads elsewhere at the second question', async () => {
    for (const name of Object.keys(LEADING_INSIDE)) {
      const { status, text, said } = await sent(field, `https://${name}:${port}/x`);
      // A token is refreshed later: at its own time.
      if (field.endsWith('token_url')) await expectTokensRefused(`https://${name}:${port}/x`);
      else expect.soft({ name, refused: status >= 400 || said === 'model_unreachable' }).toEqual({ name, refused: true });
      // The same message as for an unknown name: it does not reveal where an internal name leads.
      if (status >= 400) expect(text).not.toContain('127.0.0.1:');
    }
    names.set('A', REBINDING);
    names.set('AAAA', REBINDING, NOBODYS);
    await sent(field, `https://${REBINDING}:${port}/x`);
    if (field.endsWith('token_url')) await expectTokensRefused(`https://${REBINDING}:${port}/x`);
    expect(arrived).toEqual([]);
  });
});

const MAY_REDIRECT = Object.keys(CONNECTED).filter((field) => CONNECTED[field]?.redirects);

describe.each(MAY_REDIRECT)('%s', (field) => {
  test('redirects that lead inside', async () => {
    for (const address of [
      ...LOOPBACK.filter((address, n) => n % 3 === 0 && /^[!-~]+$/.test(address)),
      ...INTERNAL.slice(0, 3),
      ...Object.keys(LEADING_INSIDE).map((name) => `https://${name}:PORT/x`),
    ].map(at)) {
      movesTo = address;
      const { status, said } = await sent(field, `http://${frontAt}/moves`);
      expect.soft({ address, refused: status >= 400 || (said !== undefined && said !== 'works') }).toEqual({ address, refused: true });
    }
    expect(arrived).toEqual([]);
  });
});

async function expectTokensRefused(token_url: string): Promise<void> {
  const { remote: agents } = world.ctx.drivers;
  await expect(agents.refresh({ token_url, refresh_token: 'r', signal: AbortSignal.timeout(20_000) })).rejects.toMatchObject({
    code: expect.stringMatching(/^remote_(?:address_refused|unreachable|timeout)$/),
  });
}

test('a description by its address: from a host that the operator names', cites('routes.success'), async () => {
  const { status, text } = await sent('agents.openapiPreview body url', `http://${frontAt}/openapi.json`);
  expect([status, JSON.parse(text)]).toMatchObject([200, { title: library.info.title, mode: 'each', base_url: 'https://api.library.test/v1' }]);
  movesTo = '/openapi.json';
  expect(await sent('agents.openapiPreview body url', `http://${frontAt}/moved`)).toMatchObject({ status: 200 });
  // The trap is one: what connects there is seen.
  await fetch(`http://127.0.0.1:${port}`).catch(() => undefined);
  expect(arrived.splice(0)).toHaveLength(1);
});

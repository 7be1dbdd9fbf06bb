import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostOwner, isForAgents } from './host-owner.ts';

const ownerOf = hostOwner({ baseUrl: 'https://svc.example', agentsDomain: 'agents.example:8443', apiHosts: ['svc-api.cluster.local'] });
const shown = (host: string | undefined): string => {
  const owner = ownerOf(host);
  return owner.kind === 'agent' ? `agent ${owner.name}` : owner.kind;
};

test.each([
  ['svc.example', 'api'],
  ['SVC.example.:443', 'api'],
  ['svc-api.cluster.local:80', 'api'],
  ['localhost', 'api'],
  ['localhost.:8080', 'api'],
  ['127.0.0.1:8080', 'api'],
  ['192.168.1.5', 'api'],
  ['[::1]:8080', 'api'],
  ['[::ffff:127.0.0.1]', 'api'],
  [undefined, 'api'],
  ['', 'api'],
  ['shop.agents.example', 'agent shop'],
  ['Shop.Agents.Example.:8443', 'agent shop'],
  ['shop.localhost:1', 'agent shop'],
  ['shop--dev.agents.example', 'box'],
  ['shop--dev.localhost:8080', 'box'],
  ['--dev.localhost', 'unknown'],
  ['a.b.localhost', 'unknown'],
  ['a.shop.agents.example', 'unknown'],
  ['agents.example', 'unknown'],
  ['.localhost', 'unknown'],
  ['localhost..', 'unknown'],
  ['-a.localhost', 'unknown'],
  ['a-.localhost', 'unknown'],
  ['a_b.localhost', 'unknown'],
  [`${'a'.repeat(64)}.localhost`, 'unknown'],
  ['127.1', 'unknown'],
  ['2130706433', 'unknown'],
  ['0x7f.0.0.1', 'unknown'],
  ['127.0.0.1.evil.test', 'unknown'],
  ['::1', 'unknown'],
  ['[::1', 'unknown'],
  ['[localhost]', 'unknown'],
  ['localhost:99999', 'unknown'],
  ['localhost:80:80', 'unknown'],
  ['user@localhost', 'unknown'],
  ['localhost/v1', 'unknown'],
  ['localhost, evil.test', 'unknown'],
  ['localhost\u0000', 'unknown'],
  ['\uff4cocalhost', 'unknown'],
])('%s is %s', (host, owner) => expect(shown(host)).toBe(owner));

test('the name of the API counts before an agent of that name', () => {
  const shared = hostOwner({ baseUrl: 'https://api.svc.example', agentsDomain: 'svc.example' });
  expect(shared('api.svc.example')).toEqual({ kind: 'api' });
  expect(shared('shop.svc.example')).toEqual({ kind: 'agent', name: 'shop' });
});

test('spelling changes nothing: case, final dot, port', () => {
  const labels = fc.array(fc.stringMatching(/^[a-zA-Z0-9_-]{1,10}$/), { minLength: 1, maxLength: 3 });
  const domain = fc.constantFrom('localhost', 'agents.example', 'svc.example', 'evil.test');
  fc.assert(
    fc.property(labels, domain, fc.integer({ min: 0, max: 65_535 }), (names, below, port) => {
      const host = [...names, below].join('.');
      const expected = shown(host);
      for (const other of [host.toUpperCase(), `${host}.`, `${host}:${port}`, `${host.toLowerCase()}.:${port}`]) expect(shown(other)).toBe(expected);
    }),
  );
});

test('whatever string it is, it has one owner, and an agent’s name is one DNS label', () => {
  const anything = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.webAuthority({ withPort: true, withIPv4Extended: true, withIPv6: true }));
  fc.assert(
    fc.property(anything, fc.constantFrom('', '.localhost', '.agents.example'), (text, end) => {
      const owner = ownerOf(text + end);
      expect(['api', 'agent', 'unknown']).toContain(owner.kind);
      if (owner.kind === 'agent') expect(owner.name).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
    }),
    { numRuns: 400 },
  );
});

test('of the control plane agents reach the run context, granted workspaces and who is signed in', () => {
  const forThem = ['/run/v1/questions', '/v1/workspace-grants/files/a', '/v1/me', '/v1/agents/a-b/memory', '/v1/agents/a-b/memory/x/y'];
  for (const path of [...forThem, '/v1/agents/a-b/meta-runs', '/v1/agents/a-b/meta-runs/mrn_1']) expect(isForAgents('GET', path)).toBe(true);
  for (const path of [
    '/',
    '/v1/agents',
    '/v1/agents/a/b/memory',
    '/v1/agents/a/memoryx',
    '/v1/agents/a/meta-runsx',
    '/v1/me/subagent-runs',
    '/v1/me/subagent-runs/track',
    '/v1/me/subagent-runs/grt_1/rerun',
    '/v1/agents/a/secrets',
    '/v1/me/tokens',
    '/v1/workspace-grants',
    '/run/v2/x',
    '/idp/token',
  ])
    expect(isForAgents('GET', path)).toBe(false);
  expect(isForAgents('PATCH', '/v1/me')).toBe(false);
  expect(isForAgents('PATCH', '/v1/agents/a-b/meta-runs/mrn_1')).toBe(true);
  expect(isForAgents('POST', '/v1/me/subagent-runs/track')).toBe(true);
});

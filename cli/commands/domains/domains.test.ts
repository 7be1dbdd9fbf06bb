// svc domains, against the real HTTP kernel.
import { beforeEach, expect, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { agents } from '#contract/agents/agents.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { signedIn, toolAt } from '../../test/signed-in.ts';
import type { Domain } from './shown.ts';

const at = '2026-11-22T04:00:00.000Z';
const pending: Domain = {
  hostname: 'xn--bcher-kva.example.org',
  display_name: 'bücher.example.org',
  state: 'pending',
  url: 'https://xn--bcher-kva.example.org',
  records: [
    {
      purpose: 'ownership',
      type: 'TXT',
      name: '_svc-challenge.xn--bcher-kva.example.org',
      value: 'svc-verify nonce=x',
      state: 'different',
      seen: ['other=\u001b[31m1'],
    },
    { purpose: 'routing', type: 'CNAME', name: 'xn--bcher-kva.example.org', value: 'reporter.example.com', state: 'missing', seen: [] },
  ],
  problem: 'The record is missing: add it',
  certificate: null,
  created_at: at,
  prove_until: at,
  proved_at: null,
  looked_at: at,
};
let domains: Domain[];
let asked: unknown[];
beforeEach(() => {
  domains = [pending];
  asked = [];
});

const { domains: list, addDomain, verifyDomain, removeDomain } = agents;
const { tool } = await toolAt(
  await serveForTest(
    { agents: { domains: list, addDomain, verifyDomain, removeDomain } },
    {
      agents: {
        domains: () => domains,
        addDomain(_ctx, { body }) {
          asked.push(body);
          return pending;
        },
        verifyDomain(_ctx, { params }) {
          asked.push(params);
          return domains[0] ?? pending;
        },
        removeDomain: (_ctx, { params }) => void asked.push(params),
      },
    },
  ),
);
const svc = (...argv: string[]) => tool.run(['domains', ...argv], signedIn);

test('a domain is added with the records to set, and says which is missing and what was seen', async () => {
  const added = await svc('add', 'reporter', 'bücher.example.org');
  expect(added.code).toBe(0);
  expect(asked).toEqual([{ hostname: 'bücher.example.org' }]);
  expect(added.out).toContain('bücher.example.org (xn--bcher-kva.example.org) is pending');
  expect(added.out).toMatch(
    /TXT record for ownership, which is different\n +name +_svc-challenge\.xn--bcher-kva\.example\.org\n +value +svc-verify nonce=x\n +seen +other=/,
  );
  expect(added.out).toMatch(/CNAME record for routing, which is missing/);
  expect(added.out).not.toContain('\u001b[31m');
  expect(added.err).toContain("svc domains verify reporter 'xn--bcher-kva.example.org'");
});

test('verifying ends with 1 until the domain is active', async () => {
  const looked = await svc('verify', 'reporter', '*.example.org', '--json');
  expect([looked.code, JSON.parse(looked.out)]).toEqual([EXIT.failure, pending]);
  expect(asked).toEqual([{ name: 'reporter', hostname: '*.example.org' }]);
  domains = [{ ...pending, state: 'active', problem: null, certificate: { state: 'issued', not_after: at, renew_at: at, problem: null } }];
  const active = await svc('verify', 'reporter', 'bücher.example.org');
  expect(active.code).toBe(0);
  expect(active.out).toContain('is active: https://xn--bcher-kva.example.org');
  expect(active.out).toContain('Certificate until 2026-11-22, renewed from 2026-11-22 on');
});

test('domains are listed with their problem, and removed', async () => {
  expect((await svc('list', 'reporter')).out).toMatch(/bücher\.example\.org +pending +- +The record is missing/);
  const removed = await svc('remove', 'reporter', 'shop.example.org', '--json');
  expect(JSON.parse(removed.out)).toEqual({ hostname: 'shop.example.org', removed: true });
  domains = [];
  const none = await svc('list', 'reporter');
  expect([none.out, none.err]).toEqual(['', expect.stringContaining('svc domains create reporter')]);
});

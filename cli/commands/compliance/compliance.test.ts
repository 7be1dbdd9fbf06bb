// svc compliance, against the real routes on a real database and storage; and the auditor's walk of
// docs/compliance.md, line by line.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { complianceExportRoutes, complianceRoutes } from '#api/routes/orgs/compliance.ts';
import { compliance, complianceExports } from '#contract/orgs/compliance.ts';
import { publicRoutes } from '#contract/public/public.ts';
import { publishedKeys } from '#core/evidence/receipt/published-keys.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { buildExport } from '#core/orgs/compliance/export/build.ts';
import { addOrganization, receiptOf } from '#core/orgs/compliance/test/world.ts';
import { testContext } from '#test/support/context.ts';
import { addAgent, type TestAgent } from '#test/support/verbs.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { signedIn, toolAt } from '../../test/signed-in.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const t = await testContext();
const platform: Ctx = { ...t.ctx, actor: { kind: 'platform', service: 'compliance' } };
const group = { compliance: { ...compliance, ...complianceExports }, public: { receiptKeys: publicRoutes.receiptKeys } };
const handlers = {
  compliance: {
    ...complianceRoutes,
    ...complianceExportRoutes,
    // As the worker would, at once.
    export: async (...[ctx, input, http]: Parameters<typeof complianceRoutes.export>) => {
      const made = await complianceRoutes.export(ctx, input, http);
      await buildExport(platform, 'export_id' in made ? String(made.export_id) : '');
      return made;
    },
  },
  public: { receiptKeys: () => publishedKeys(t.ctx) },
};
const { api, tool } = await toolAt(await serveForTest(group, handlers, { db: t.ctx.db, drivers: t.ctx.drivers }));
const at = (name: string): string => join(tool.home, name);
const svc = (...argv: string[]) => tool.run(argv, signedIn);
let agent: TestAgent;
let record: string;

beforeAll(async () => {
  await t.ctx.db('users').insert({ user_id: 'usr_ada', issuer: 'test', subject: 'ada', email: 'ada@svc.local' });
  const acme = await addOrganization(t.ctx.db, 'usr_ada', 'acme');
  agent = await addAgent(t.ctx.db, acme.id, { live: true });
  record = await receiptOf(t.ctx, agent);
});
afterAll(() => t.close());

test('policy and profiles are shown, changed in part, and refused where they do not fit', async () => {
  expect((await svc('compliance', 'policy', 'acme')).out).toContain('Not saved yet');
  const saved = await svc('compliance', 'policy', 'acme', '--framework', 'eu_ai_act', '--days', '200');
  expect([saved.code, saved.out]).toEqual([EXIT.ok, expect.stringContaining('kept for 200 days')]);
  const held = await svc('compliance', 'policy', 'acme', '--hold', 'Case 12');
  expect(held.out).toMatch(/eu_ai_act[\s\S]*kept for 200 days[\s\S]*yes: Case 12[\s\S]*Version 2/);
  expect((await svc('compliance', 'enforce', 'acme', '--dry-run')).err).toContain('legal hold');
  expect((await svc('compliance', 'policy', 'acme', '--release')).out).toContain('Legal hold:  no');
  expect((await svc('compliance', 'policy', 'acme', '--days', '30')).code).not.toBe(EXIT.ok);
  expect((await svc('compliance', 'enforce', 'acme', '--dry-run')).out).toMatch(/^Would go, of what ended before .*:\nnothing/);

  expect((await svc('compliance', 'agents', 'acme')).out).toContain('unclassified');
  expect((await svc('compliance', 'agents', 'acme', agent.name, '--tier', 'high')).code).not.toBe(EXIT.ok);
  const rated = await svc('compliance', 'agents', 'acme', agent.name, '--tier', 'high', '--oversight', 'Ada stops it');
  expect(rated.out).toMatch(/high, version 1[\s\S]*Ada stops it[\s\S]*Missing/);
  expect((await svc('compliance', 'agents', 'acme', 'nobody')).code).toBe(EXIT.failure);
  const listed = await svc('compliance', 'records', 'acme', '--kind', 'admin_action', '--json');
  expect(JSON.parse(listed.out).map(({ action }: { action: string }) => action)).toEqual([
    'compliance.profile',
    'compliance.policy',
    'compliance.policy',
    'compliance.policy',
  ]);
  expect((await svc('compliance', 'status', 'acme', '--strict')).code).toBe(EXIT.failure);
});

test("the auditor's walk: from the status to the receipt of one decision", async () => {
  const lines = (await readFile(join(root, 'docs/samples/compliance/walk.sh'), 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  for (const line of lines) {
    const words = line.replace('$RECORD', record).split(' ').map((word) => (/\.(?:ndjson|json|txt)$/.test(word) ? word.replace(/[^@]+$/, (name) => at(name)) : word)); // prettier-ignore
    const [program = '', ...args] = words;
    if (program === 'curl') {
      await writeFile(args.at(-1) ?? '', await (await fetch(`${api.url}/v1/public/receipt-keys`)).text());
    } else if (program === 'node') {
      const ran = await promisify(execFile)(process.execPath, args, { cwd: root });
      expect(ran.stdout, line).toContain('1 receipts are signed');
    } else {
      const ran = await svc(...args);
      expect([ran.code, ran.err.replace(/Check it: .*\n/, '')], line).toEqual([EXIT.ok, '']);
    }
  }
  const bent = (await readFile(at('acme.ndjson'), 'utf8')).replace('"outcome":"ok"', '"outcome":"error"');
  await writeFile(at('bent.ndjson'), bent);
  const ran = await svc('compliance', 'verify', at('bent.ndjson'), '--keys', at('keys.json'));
  expect([ran.code, ran.out]).toEqual([EXIT.failure, expect.stringMatching(/FAILS {2}Lines[\s\S]*FAILS {2}Receipts: rcp_/)]);
  expect((await svc('compliance', 'export', 'acme', '--list')).out).toContain('succeeded');
});

// Policies, profiles, records and status: what members see and change, and what nobody else does.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentProfileIn, CompliancePolicyIn, ComplianceExportIn } from '#contract/orgs/compliance.ts';
import { ORGANIZATION_ROLES, type OrganizationRole } from '#contract/states.ts';
import { setVisibility } from '#core/agents/agent/visibility.ts';
import { redeploySource } from '#core/deploys/deployment/redeploy.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { actingFor } from '#core/accounts/acting.ts';
import { newId } from '#core/kernel/ids.ts';
import { cites } from '#test/spec/verifies.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { addAgent, type TestAgent } from '#test/support/verbs.ts';
import { createExport } from './export/create.ts';
import { exportFile, getExport, listExports } from './export/read.ts';
import { readPolicy } from './policy/read.ts';
import { putPolicy } from './policy/put.ts';
import { listProfiles } from './profile/list.ts';
import { putProfile } from './profile/put.ts';
import { getRecord, listRecords } from './records/read.ts';
import { enforceRetention } from './retention/enforce.ts';
import { complianceStatus } from './status/status.ts';
import { DAY, organizationOf, receiptOf, type TestOrganization } from './test/world.ts';

let t: TestContext;
let acme: TestOrganization;
let agent: TestAgent;
let stranger: TestUser;
beforeAll(async () => {
  t = await testContext();
  acme = await organizationOf(t);
  agent = await addAgent(t.ctx.db, acme.id, { visibility: 'public', live: true });
  stranger = await t.user('stranger');
});
afterAll(() => t.close());

const policy = (more: object = {}) => CompliancePolicyIn.parse({ frameworks: ['eu_ai_act'], version: 0, ...more });
const profile = (more: object = {}) => AgentProfileIn.parse({ risk_tier: 'minimal', version: 0, ...more });
const query = (more: object = {}) => ({ slug: acme.slug, limit: 50, ...more });

describe('who may', () => {
  const reads: [string, (ctx: Ctx, slug: string) => Promise<unknown>][] = [
    ['policy', (ctx, slug) => readPolicy(ctx, { slug })],
    ['agents', (ctx, slug) => listProfiles(ctx, { slug, limit: 5 })],
    ['records', (ctx, slug) => listRecords(ctx, { slug, limit: 5 })],
    ['status', (ctx, slug) => complianceStatus(ctx, { slug })],
    ['exports', (ctx, slug) => listExports(ctx, { slug, limit: 5 })],
    ['export', (ctx, slug) => createExport(ctx, { slug, ...ComplianceExportIn.parse({}) })],
  ];
  const changes: [string, (ctx: Ctx, slug: string) => Promise<unknown>][] = [
    ['policy', (ctx, slug) => putPolicy(ctx, { slug, ...policy({ version: 9 }) })],
    ['profile', (ctx, slug) => putProfile(ctx, { slug, agent_name: agent.name, ...profile({ version: 9 }) })],
    ['retention', (ctx, slug) => enforceRetention(ctx, { slug, dry_run: true })],
  ];
  const audits: readonly OrganizationRole[] = ['owner', 'admin', 'auditor'];
  const manages: readonly OrganizationRole[] = ['owner', 'admin'];

  test.each(ORGANIZATION_ROLES)('%s', async (role) => {
    for (const [name, read] of reads) {
      const outcome = await read(acme.as[role], acme.slug).then(
        () => 'ok',
        (error: unknown) => Object(error).code,
      );
      // The third export of the organization is still open.
      expect(['ok', 'too_many_exports'].includes(outcome) ? 'ok' : outcome, `${role} reads ${name}`).toBe(audits.includes(role) ? 'ok' : 'role_not_allowed');
    }
    for (const [name, change] of changes) {
      const refusal = await change(acme.as[role], acme.slug).catch((error: unknown) => Object(error).code);
      if (manages.includes(role)) expect(refusal, `${role} changes ${name}`).not.toBe('role_not_allowed');
      else expect(refusal, `${role} changes ${name}`).toBe('role_not_allowed');
    }
  });

  test('to others the organization does not exist, a member who was suspended among them', async () => {
    const gone = await t.user('gone');
    const suspended = { organization_id: acme.id, user_id: gone.actor.user_id, member_id: newId('mem'), email: 'gone@example.test', role: 'owner' as const };
    const now = new Date();
    await t.ctx.db('organization_members').insert({ ...suspended, state: 'suspended', source: 'person', created_at: now, joined_at: now, updated_at: now });
    for (const ctx of [stranger, gone])
      for (const [name, verb] of [...reads, ...changes]) await expect(verb(ctx, acme.slug), name).rejects.toMatchObject({ code: 'organization_not_found' });
  });
});

describe('the policy', () => {
  test('defaults until one is saved; a version that somebody else has replaced is refused', cites('compliance.policy', 'compliance.putPolicy'), async () => {
    const { as, slug } = await organizationOf(t);
    expect(await readPolicy(as.auditor, { slug })).toMatchObject({ version: 0, retention_days: 180, legal_hold: false, updated_at: null });
    const saved = await putPolicy(as.admin, { slug, ...policy({ retention_days: 365 }) });
    expect(saved).toMatchObject({ version: 1, retention_days: 365, frameworks: ['eu_ai_act'], updated_by: as.admin.actor.user_id });
    await expect(putPolicy(as.owner, { slug, ...policy() })).rejects.toMatchObject({ code: 'compliance_policy_changed' });
    const both = await Promise.allSettled([1, 2].map(() => putPolicy(as.owner, { slug, ...policy({ version: 1 }) })));
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('the act keeps contents for half a year, also past the schema', async () => {
    expect(CompliancePolicyIn.safeParse({ frameworks: ['eu_ai_act'], retention_days: 179, version: 0 }).success).toBe(false);
    expect(CompliancePolicyIn.safeParse({ frameworks: ['iso_42001'], retention_days: 30, version: 0 }).success).toBe(true);
    expect(CompliancePolicyIn.safeParse({ frameworks: ['iso_42001'], retention_days: 3651, version: 0 }).success).toBe(false);
    const { as, slug } = await organizationOf(t);
    await expect(putPolicy(as.owner, { slug, ...policy(), retention_days: 30 })).rejects.toThrow(/compliance_policies_check/);
  });
});

describe('profiles of agents', () => {
  test('each version is kept; high risk needs somebody who oversees it', cites('compliance.agents', 'compliance.putAgent'), async () => {
    const { as, slug, id } = await organizationOf(t);
    const { name } = await addAgent(t.ctx.db, id, { live: true });
    expect(AgentProfileIn.safeParse({ risk_tier: 'high', version: 0 }).success).toBe(false);
    const first = await putProfile(as.owner, { slug, agent_name: name, ...profile({ risk_tier: 'limited', intended_purpose: 'Reads invoices' }) });
    expect(first).toMatchObject({ version: 1, gaps: [], live: true });
    const second = await putProfile(as.admin, { slug, agent_name: name, ...profile({ risk_tier: 'high', human_oversight: 'Ada stops it', version: 1 }) });
    expect(second.gaps).toEqual([expect.stringContaining('intended purpose'), expect.stringContaining('No rule asks a person')]);
    expect(second.history.map(({ version, risk_tier, changed_by }) => [version, risk_tier, changed_by])).toEqual([
      [2, 'high', as.admin.actor.user_id],
      [1, 'limited', as.owner.actor.user_id],
    ]);
    await expect(putProfile(as.owner, { slug, agent_name: name, ...profile({ version: 1 }) })).rejects.toMatchObject({ code: 'compliance_profile_changed' });
    await expect(putProfile(as.owner, { slug, agent_name: agent.name, ...profile() })).rejects.toMatchObject({ code: 'agent_not_found' });
    expect((await listProfiles(as.auditor, { slug, limit: 10 })).items.map((one) => [one.agent, one.risk_tier])).toEqual([[name, 'high']]);
  });

  test('unacceptable risk takes an agent out of the catalog, and lets it be neither published nor deployed', async () => {
    const { as, slug, id } = await organizationOf(t);
    const { name } = await addAgent(t.ctx.db, id, { visibility: 'public', live: true });
    const shown = await putProfile(as.owner, { slug, agent_name: name, ...profile({ risk_tier: 'unacceptable' }) });
    expect(shown).toMatchObject({ visibility: 'unlisted', gaps: [expect.stringContaining('intended'), expect.stringContaining('still serves')] });
    const developer = { ...as.developer, actor: await actingFor(t.ctx.db, as.developer.actor, slug) };
    await expect(setVisibility(developer, { name, visibility: 'public' })).rejects.toMatchObject({ code: 'agent_prohibited' });
    await expect(redeploySource(developer, { name })).rejects.toMatchObject({ code: 'agent_prohibited' });
    await putProfile(as.owner, { slug, agent_name: name, ...profile({ version: 1 }) });
    expect(await setVisibility(developer, { name, visibility: 'public' })).toMatchObject({ visibility: 'public' });
  });
});

describe('decision records', () => {
  test('of every kind, newest first, page by page, by every filter', cites('compliance.records'), async () => {
    const { as, slug, id } = await organizationOf(t);
    const [one, two] = [await addAgent(t.ctx.db, id), await addAgent(t.ctx.db, id)];
    const other = await addAgent(t.ctx.db, stranger.actor.user_id);
    const now = Date.now();
    for (const n of [1, 2, 3]) await receiptOf(t.ctx, one, { status: n === 2 ? 'error' : 'ok' }, now - n * 1000);
    await receiptOf(t.ctx, two, {}, now - 10 * DAY);
    await receiptOf(t.ctx, other);
    await t.ctx.db('waits').insert({ wait_id: newId('wait'), kind: 'handoff_approval', state: 'approved', agent_id: one.id, agent_name: one.name, asked_of: as.owner.actor.user_id, prompt: 'Secret words', expires_at: new Date(), resolved_at: new Date(), resolved_by: as.owner.actor.user_id }); // prettier-ignore
    const request = JSON.stringify({
      principal: { type: 'Run', id: 'run_1', agent: one.name, skill: 'work' },
      resource: { type: 'Path', path: 'a.txt' },
      context: {},
    });
    await t.ctx.db('policy_decisions').insert({ decision_id: newId('pdc'), owner_id: id, action: 'write_file', outcome: 'deny', reasons: ['no-files'], rules_version: 1, policy_hash: 'h', request, decided_at: new Date() }); // prettier-ignore
    await t.ctx.db('policy_denials').insert({ denial_id: newId('pdn'), denial_key: newId('req'), user_id: id, action: 'egress', outcome: 'deny', rule: 'deny_external_network', resource: 'x.example', message: 'No', agent_name: one.name, policy_sha256: 'a'.repeat(64), policy_version: 1, count: 2, created_at: new Date(), last_at: new Date() }); // prettier-ignore
    await putPolicy(as.admin, { slug, ...policy() });
    await putProfile(as.admin, { slug, agent_name: two.name, ...profile() });

    const all = (await listRecords(as.auditor, query({ slug }))).items;
    expect(all.map(({ kind }) => kind).toSorted()).toEqual(['admin_action', 'admin_action', ...Array.from({ length: 3 }, () => 'authorization'), ...Array.from({ length: 4 }, () => 'skill_execution')]); // prettier-ignore
    expect(all.map(({ recorded_at }) => recorded_at)).toEqual(
      all
        .map(({ recorded_at }) => recorded_at)
        .toSorted()
        .toReversed(),
    );
    expect(JSON.stringify(all)).not.toContain('Secret words');
    const paged = [];
    for (let cursor: string | undefined; ;) {
      const page = await listRecords(as.auditor, query({ slug, limit: 2, ...(cursor !== undefined && { cursor }) }));
      paged.push(...page.items);
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(all);
    const count = async (more: object) => (await listRecords(as.auditor, query({ slug, ...more }))).items.length;
    expect(await count({ kind: 'skill_execution' })).toBe(4);
    expect(await count({ kind: 'skill_execution', outcome: 'error' })).toBe(1);
    expect(await count({ outcome: 'approved' })).toBe(1);
    expect(await count({ outcome: 'deny' })).toBe(2);
    expect(await count({ agent: one.name })).toBe(6);
    expect(await count({ agent: two.name })).toBe(2);
    expect(await count({ agent: other.name })).toBe(0);
    expect(await count({ kind: 'skill_execution', from: new Date(now - DAY).toISOString() })).toBe(3);
    expect(await count({ to: new Date(now - DAY).toISOString() })).toBe(1);
  });

  test('a receipt is verified as it is read; another tenant has none', cites('compliance.record'), async () => {
    const record_id = await receiptOf(t.ctx, agent);
    const get = (ctx: Ctx, id = record_id) => getRecord(ctx, { slug: acme.slug, kind: 'skill_execution', record_id: id });
    expect(await get(acme.as.auditor)).toMatchObject({ signature_status: 'valid', signature_problem: null, verifiable: true, token: expect.any(String) });
    const row = await t.ctx.db('receipts').where({ receipt_id: record_id }).first();
    await t.ctx.db('receipts').where({ receipt_id: record_id }).update({ status: 'error' });
    expect(await get(acme.as.auditor)).toMatchObject({ signature_status: 'invalid', signature_problem: expect.stringContaining('differs') });
    const token = `${row?.token.slice(0, -8)}AAAAAAAA`;
    await t.ctx.db('receipts').where({ receipt_id: record_id }).update({ status: 'ok', token });
    expect(await get(acme.as.auditor)).toMatchObject({ signature_status: 'invalid' });
    expect((await complianceStatus(acme.as.auditor, { slug: acme.slug })).evidence.find(({ name }) => name === 'signatures')).toMatchObject({
      state: 'not_met',
    });
    await t.ctx
      .db('receipts')
      .where({ receipt_id: record_id })
      .update({ token: row?.token ?? '' });
    const other = await receiptOf(t.ctx, await addAgent(t.ctx.db, stranger.actor.user_id));
    await expect(get(acme.as.owner, other)).rejects.toMatchObject({ code: 'decision_record_not_found' });
    await expect(getRecord(acme.as.owner, { slug: acme.slug, kind: 'admin_action', record_id })).rejects.toMatchObject({ code: 'decision_record_not_found' });
  });
});

test('the status says what is met, what is not and what to do; it follows the facts', cites('compliance.status'), async () => {
  const { as, slug, id } = await organizationOf(t);
  const { name } = await addAgent(t.ctx.db, id, { live: true });
  const before = await complianceStatus(as.auditor, { slug });
  expect(before.frameworks.map(({ framework }) => framework)).toEqual(['eu_ai_act', 'nist_ai_rmf_1_1', 'iso_42001']);
  const control = (status: typeof before, reference: string) => status.frameworks[0]?.controls.find((one) => one.reference === reference);
  expect(control(before, 'Article 19')).toMatchObject({ state: 'not_met' });
  expect(control(before, 'Article 4')).toMatchObject({ state: 'not_applicable', reason: expect.stringContaining('training') });
  await putPolicy(as.owner, { slug, ...policy() });
  await putProfile(as.owner, { slug, agent_name: name, ...profile({ intended_purpose: 'Reads invoices' }) });
  await receiptOf(t.ctx, { id: (await t.ctx.db('agents').where({ name }).first('agent_id'))?.agent_id ?? '', name });
  const after = await complianceStatus(as.auditor, { slug });
  expect(after.frameworks).toHaveLength(1);
  expect(control(after, 'Article 19')).toMatchObject({ state: 'met' });
  expect(control(after, 'Article 12')).toMatchObject({ state: 'met' });
  expect(control(after, 'Article 5')).toMatchObject({ state: 'met' });
  expect(after.next_actions.length).toBeGreaterThan(0);
  const counts = after.frameworks[0]?.counts ?? { met: 0, partly: 0, not_met: 0, not_applicable: 0 };
  expect(Object.values(counts).reduce((sum, n) => sum + n, 0)).toBe(after.frameworks[0]?.controls.length);
});

test('an export that is not made has no file, and another organization has not this one', async () => {
  const { as, slug } = await organizationOf(t);
  const made = await createExport(as.auditor, { slug, ...ComplianceExportIn.parse({}) });
  await expect(exportFile(as.auditor, { slug, export_id: made.export_id })).rejects.toMatchObject({ code: 'export_not_ready' });
  await expect(getExport(acme.as.owner, { slug: acme.slug, export_id: made.export_id })).rejects.toMatchObject({ code: 'export_not_found' });
});

test('nothing is removed without a policy, and nothing under a legal hold', cites('compliance.enforce'), async () => {
  const { as, slug } = await organizationOf(t);
  const enforce = (dry_run: boolean) => enforceRetention(as.owner, { slug, dry_run });
  await expect(enforce(false)).rejects.toMatchObject({ code: 'retention_not_set' });
  await putPolicy(as.owner, { slug, ...policy({ legal_hold: true, hold_reason: 'Case 12' }) });
  for (const dry of [true, false]) await expect(enforce(dry)).rejects.toMatchObject({ code: 'legal_hold' });
  await putPolicy(as.owner, { slug, ...policy({ version: 1 }) });
  expect(await enforce(true)).toMatchObject({ dry_run: true, counts: {}, job_id: null });
  const [one, two] = await Promise.all([enforce(false), enforce(false)]);
  expect(one.purge_id).toBe(two.purge_id);
});

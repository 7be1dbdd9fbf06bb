// Exports and removals on a real Temporal server, a real database and a real storage. Each step is done
// twice, as after a crash that came between its effect and its record, and workers are taken away in the
// middle.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { verifyAsync } from '@noble/ed25519';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createActivities } from '#activities/index.ts';
import { createComplianceActivities } from '#activities/compliance.ts';
import { createPurgeActivities } from '#activities/purge.ts';
import { ComplianceExportIn, type ComplianceExportOut, CompliancePolicyIn } from '#contract/orgs/compliance.ts';
import { checkExport } from '#contract/wire/export-check.ts';
import { publishedKeys } from '#core/evidence/receipt/published-keys.ts';
import { appendEvents } from '#core/jobs/append-event.ts';
import { createJob } from '#core/jobs/create.ts';
import { archiveJob } from '#core/jobs/retention/archive.ts';
import { transitionJob } from '#core/jobs/transition.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { inTx } from '#core/kernel/tx.ts';
import { purgeUsers } from '#core/platform/purge/request.ts';
import { storeBlob } from '#core/workspace/blob/store.ts';
import { sweepBlobs } from '#core/workspace/blob/sweep.ts';
import { cites } from '#test/spec/verifies.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { dyingOnce } from '#test/support/dying-activities.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { testTemporal } from '#test/support/servers.ts';
import { startTestWorkers } from '#test/support/workers.ts';
import { addAgent, type TestAgent } from '#test/support/verbs.ts';
import { cancelExport } from './export/cancel.ts';
import { createExport, workflowOfExport } from './export/create.ts';
import { expireExports } from './export/build.ts';
import { exportFile, getExport } from './export/read.ts';
import { putPolicy } from './policy/put.ts';
import { getRecord } from './records/read.ts';
import { enforceNightly, enforceRetention } from './retention/enforce.ts';
import { RETENTION_STEPS } from './retention/plan.ts';
import { DAY, organizationOf, receiptOf, type TestOrganization } from './test/world.ts';

let t: TestContext;
let stopWorker: () => Promise<void>;
let startWorker: () => Promise<() => Promise<void>>;
let folder: string;
/** Set: each activity fails once after it has done its work. */
let twice = false;
/** Set: what activities read fails, as when the database is away. */
let broken: ((name: string) => Promise<void>) | undefined;

beforeAll(async () => {
  const temporal = await testTemporal();
  t = await testContext({ temporal });
  folder = await mkdtemp(join(tmpdir(), 'svc-export-'));
  const settings = { node: 'local', buildsAtOnce: 1, retention: { archiveAfterDays: 30, removeAfterDays: 365 } };
  const activities = {
    ...createActivities(t.ctx, settings),
    ...dyingOnce({ ...createComplianceActivities(t.ctx), ...createPurgeActivities(t.ctx) }, { dies: () => twice, before: async (name) => broken?.(name) }),
  };
  startWorker = () => startTestWorkers(temporal, activities);
  stopWorker = await startWorker();
});
afterEach(() => {
  twice = false;
  broken = undefined;
});
afterAll(async () => {
  await stopWorker();
  await rm(folder, { recursive: true, force: true });
  await t.close();
});

async function worldOf(): Promise<TestOrganization & { agent: TestAgent }> {
  const acme = await organizationOf(t);
  return { ...acme, agent: await addAgent(t.ctx.db, acme.id, { live: true }) };
}
const savePolicy = ({ as, slug }: TestOrganization, more: object = {}) =>
  putPolicy(as.owner, { slug, ...CompliancePolicyIn.parse({ frameworks: ['eu_ai_act'], version: 0, ...more }) });
const begin = ({ as, slug }: TestOrganization, more: object = {}) => createExport(as.auditor, { slug, ...ComplianceExportIn.parse(more) });
const ended = (of: TestOrganization, { export_id }: ComplianceExportOut) =>
  vi.waitFor(
    async () => {
      const shown = await getExport(of.as.auditor, { slug: of.slug, export_id });
      expect(['succeeded', 'failed', 'cancelled']).toContain(shown.state);
      return shown;
    },
    { timeout: 60_000, interval: 50 },
  );
const jobEnded = (job_id: string | null) =>
  vi.waitFor(
    async () => {
      const row = await t.ctx
        .db('jobs')
        .where({ job_id: job_id ?? '' })
        .first();
      expect(row?.ended_at).not.toBeNull();
      return row;
    },
    { timeout: 60_000, interval: 50 },
  );
const fileOf = async (of: TestOrganization, { export_id }: ComplianceExportOut): Promise<string> => {
  const view = await exportFile(of.as.auditor, { slug: of.slug, export_id });
  return text(await view.open());
};
const linesOf = (content: string): string[] => content.split('\n').slice(0, -1);
async function checked(content: string): Promise<{ isAuthentic: boolean; failed: string[]; script: number | null; says: string }> {
  const { keys } = await publishedKeys(t.ctx);
  const verdict = await checkExport({ lines: linesOf(content), keys, verify: (s, m, k) => verifyAsync(s, m, k, { zip215: false }) });
  const [file, keysFile] = [join(folder, `${newId('req')}.ndjson`), join(folder, 'keys.json')];
  await writeFile(file, content);
  await writeFile(keysFile, JSON.stringify({ keys }));
  const script = fileURLToPath(new URL('../../../docs/samples/compliance/verify-export.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, file, keysFile], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), new Promise<number | null>((resolve) => child.on('close', resolve))]);
  return {
    isAuthentic: verdict.isAuthentic,
    failed: verdict.findings.flatMap(({ name, is }) => (is === 'failed' ? [name] : [])),
    script: code,
    says: out + err,
  };
}

test('an export is one file that anybody checks with the published keys, though every step comes twice', { ...cites('compliance.export') }, async () => {
  const acme = await worldOf();
  await savePolicy(acme);
  for (let n = 0; n < 250; n += 1) await receiptOf(t.ctx, acme.agent, { status: n % 5 === 0 ? 'error' : 'ok' });
  twice = true;
  const made = await ended(acme, await begin(acme));
  twice = false;
  expect(made).toMatchObject({ state: 'succeeded', counts: { skill_execution: 250, valid: 250, invalid: 0, admin_action: 2, controls: 15, agents: 1 } });
  const content = await fileOf(acme, made);
  expect(await checked(content)).toMatchObject({ isAuthentic: true, failed: [], script: 0, says: expect.stringContaining('250 receipts are signed') });
  // Exports are records themselves.
  const audits = await t.ctx.db('audit_log').where({ target_id: acme.id }).orderBy('audit_id').pluck('action');
  expect(audits).toEqual(['compliance.policy', 'compliance.export', 'compliance.export_ended']);
  await recordHistory(t.temporal, workflowOfExport(made.export_id), 'complianceExport.ended');

  const lines = linesOf(content);
  const whole = (all: readonly string[]) => all.map((line) => `${line}\n`).join('');
  const at = lines.findIndex((line) => line.includes('"kind":"skill_execution"'));
  const changed = (line: string, from: string, to: string) => lines.toSpliced(lines.indexOf(line), 1, line.replace(from, to));
  const record = lines[at] ?? '';
  const forged: [string, string[], string][] = [
    ['a record is taken out', lines.toSpliced(at, 1), 'Lines'],
    ['two change places', [...lines.slice(0, at), lines[at + 1] ?? '', record, ...lines.slice(at + 2)], 'Lines'],
    ['an outcome is changed', changed(record, '"outcome":"', '"outcome":"error","x":"'), 'File'],
    ['another receipt', changed(record, JSON.parse(record).token, JSON.parse(lines[at + 1] ?? '').token), 'Receipts'],
    ['a bent signature', changed(record, JSON.parse(record).token, `${JSON.parse(record).token.slice(0, -6)}AAAAAA`), 'Receipts'],
    ['a control is better', changed(lines[1] ?? '', '"not_applicable"', '"met"'), 'Lines'],
    ['the end is cut off', lines.slice(0, -1), 'File'],
    ['another manifest', [...lines.slice(0, -1), (lines.at(-1) ?? '').replace('"token":"', '"token":"e30')], 'File'],
  ];
  for (const [what, all, finding] of forged) {
    const verdict = await checked(whole(all));
    expect(verdict, what).toMatchObject({ isAuthentic: false, script: 1 });
    expect(verdict.failed, what).toContain(finding);
  }
});

test('a row that was changed is in the export as invalid, and the check says so', async () => {
  const acme = await worldOf();
  const receipt_id = await receiptOf(t.ctx, acme.agent);
  await receiptOf(t.ctx, acme.agent);
  await t.ctx.db('receipts').where({ receipt_id }).update({ status: 'error' });
  const made = await ended(acme, await begin(acme, { kinds: ['skill_execution'] }));
  expect(made).toMatchObject({ counts: { valid: 1, invalid: 1 } });
  expect(await checked(await fileOf(acme, made))).toMatchObject({ isAuthentic: false, failed: ['Receipts'], script: 1 });
});

test('the newest of a range, no more than were asked for; its file ends with its time', async () => {
  const acme = await worldOf();
  for (let n = 0; n < 8; n += 1) await receiptOf(t.ctx, acme.agent, {}, Date.now() - n * DAY - 1000);
  const made = await ended(acme, await begin(acme, { kinds: ['skill_execution'], max_records: 3, to: new Date(Date.now() - DAY).toISOString() }));
  const content = await fileOf(acme, made);
  expect(made.counts).toMatchObject({ records: 3 });
  expect(await checked(content)).toMatchObject({ isAuthentic: true, script: 0, says: expect.stringContaining('not all') });
  const later: Ctx = { ...t.ctx, clock: () => Date.now() + 8 * DAY };
  await sweepBlobs(later);
  expect(await fileOf(acme, made)).toBe(content);
  await expireExports(later);
  await sweepBlobs({ ...later, clock: () => Date.now() + 20 * DAY });
  await expect(fileOf(acme, made)).rejects.toMatchObject({ code: 'export_expired' });
  expect(await t.ctx.db('blobs').where({ sha256: made.sha256 ?? '' })).toEqual([]);
});

test('cancelled, late, and failed again and again: the job says which, once', async () => {
  const acme = await worldOf();
  await receiptOf(t.ctx, acme.agent);
  broken = async (name) => (name === 'buildExport' ? Promise.reject(new Error('no database')) : undefined);
  const one = await begin(acme);
  await vi.waitFor(async () => expect(await t.temporal.workflow.getHandle(workflowOfExport(one.export_id)).describe()).toMatchObject({ status: { name: 'RUNNING' } }), { timeout: 20_000 }); // prettier-ignore
  await cancelExport(acme.as.auditor, { slug: acme.slug, export_id: one.export_id });
  expect(await ended(acme, one)).toMatchObject({ state: 'cancelled', error: { code: 'cancelled' }, sha256: null });
  await expect(cancelExport(acme.as.auditor, { slug: acme.slug, export_id: one.export_id })).rejects.toMatchObject({ code: 'job_ended' });
  await recordHistory(t.temporal, workflowOfExport(one.export_id), 'complianceExport.cancelled');
  const early: TestUser = { ...acme.as.auditor, clock: () => Date.now() - 598_000 };
  const two = await createExport(early, { slug: acme.slug, ...ComplianceExportIn.parse({}) });
  expect(await ended(acme, two)).toMatchObject({ state: 'failed', error: { code: 'export_late' } });
  await recordHistory(t.temporal, workflowOfExport(two.export_id), 'complianceExport.late');
  broken = undefined;
});

test('the worker goes away in the middle: the export goes on, and is whole', async () => {
  const acme = await worldOf();
  for (let n = 0; n < 120; n += 1) await receiptOf(t.ctx, acme.agent);
  await stopWorker();
  const made = await begin(acme);
  stopWorker = await startWorker();
  await vi.waitFor(async () => expect((await getExport(acme.as.auditor, { slug: acme.slug, export_id: made.export_id })).state).not.toBe('queued'), { timeout: 20_000, interval: 5 }); // prettier-ignore
  await stopWorker();
  stopWorker = await startWorker();
  const shown = await ended(acme, made);
  expect(shown).toMatchObject({ state: 'succeeded', counts: { skill_execution: 120 } });
  expect(await checked(await fileOf(acme, shown))).toMatchObject({ isAuthentic: true, script: 0 });
});

/** Contents of a run of so many days ago, in every table that the plan names. */
async function oldRun(
  { agent, id, as }: TestOrganization & { agent: TestAgent },
  days: number,
): Promise<{ run_id: string; job_id: string; archived: string; receipt: string }> {
  const { db } = t.ctx;
  const at = new Date(Date.now() - days * DAY);
  const user_id = as.developer.actor.user_id;
  const deploy = await db('agents').where({ agent_id: agent.id }).first('live_deploy_id');
  const jobs: string[] = [];
  for (const kind of ['run', 'archived']) {
    const of = { kind: 'run', title: kind, ownerId: user_id, agent, input: { words: 'private words' } };
    const job_id = await inTx(as.developer, (ctx) => createJob(ctx, { ...of, agent: { id: agent.id, name: agent.name } }));
    await appendEvents(db, job_id, [{ kind: 'run.text_delta', payload: { text: 'private words' } }]);
    await transitionJob(db, job_id, {
      from: ['queued'],
      to: 'failed',
      output: { result: 'private words' },
      error: { code: 'agent_error', message: 'private words' },
    });
    await db('jobs').where({ job_id }).update({ ended_at: at });
    jobs.push(job_id);
  }
  const [job_id = '', archived = ''] = jobs;
  await archiveJob(t.ctx, archived);
  const run_id = newId('run');
  await db('runs').insert({ run_id, agent_id: agent.id, agent_name: agent.name, deploy_id: deploy?.live_deploy_id ?? '', skill: 'work', user_id, caller_kind: 'user', caller_id: user_id, depth: 0, job_id, state: 'failed', started_at: at, ended_at: at, chain: [], args: JSON.stringify({ words: 'private words' }), kind: 'started' }); // prettier-ignore
  const { sha256, size_bytes } = await storeBlob(t.ctx, Readable.from([Buffer.from(`private words ${days}`)]), 100);
  await db('artifacts').insert({ artifact_id: newId('art'), run_id, agent_id: agent.id, user_id, name: 'a.txt', mime_type: 'text/plain', sha256, size_bytes, created_at: at }); // prettier-ignore
  await db('waits').insert({ wait_id: newId('wait'), kind: 'question', state: 'answered', run_id, agent_id: agent.id, agent_name: agent.name, asked_of: user_id, prompt: 'private words', request: '{}', resolution: JSON.stringify({ answer: 'private words' }), expires_at: at, resolved_at: at, created_at: at }); // prettier-ignore
  await db('scored_contents').insert({ run_id, agent_id: agent.id, args: '{}', result: JSON.stringify('private words'), kept_at: at });
  await db.raw(`insert into spans (kept_at, run_id, trace_id, span_id, owner_id, agent_name, source, name, kind, start_ns, end_ns, status, attributes, events) values (?, ?, 't', 's', ?, ?, 'agent', 'private words', 'internal', 1, 2, 'ok', '{}', '[]')`, [at, run_id, id, agent.name]); // prettier-ignore
  const receipt = await receiptOf(t.ctx, agent, { runId: run_id, caller: { kind: 'user', id: user_id, userId: user_id } });
  return { run_id, job_id, archived, receipt };
}
const contents = async (): Promise<string[]> => {
  const found: string[] = [];
  for (const table of new Set(RETENTION_STEPS.map((step) => step.table))) {
    const { rows } = await t.ctx.db.raw<{ rows: { line: string }[] }>(`select x::text as line from ?? x`, [table]);
    if (rows.some(({ line }) => line.includes('private words'))) found.push(table);
  }
  return found.toSorted();
};

test('old contents go and receipts stay, though every step comes twice; what is young stays', async () => {
  const forget = vi.spyOn(t.ctx.drivers.workflows, 'forget');
  onTestFinished(() => forget.mockRestore());
  const acme = await worldOf();
  const old = await oldRun(acme, 200);
  await savePolicy(acme);
  const dry = await enforceRetention(acme.as.owner, { slug: acme.slug, dry_run: true });
  expect(dry.counts).toEqual({ artifacts: 1, runs: 1, jobs: 1, spans: 1, scored_contents: 1, waits: 1, job_archives: 1 });
  expect(await contents()).toEqual(['artifacts', 'job_events', 'jobs', 'runs', 'scored_contents', 'spans', 'waits'].filter((name) => name !== 'artifacts'));
  twice = true;
  const { job_id, purge_id } = await enforceRetention(acme.as.owner, { slug: acme.slug, dry_run: false });
  const job = await jobEnded(job_id);
  twice = false;
  // The archived job is emptied once its archive is gone; events of the kept one are those of one job.
  expect(job).toMatchObject({
    state: 'succeeded',
    output: { counts: { artifacts: 1, runs: 1, jobs: 2, spans: 1, scored_contents: 1, waits: 1, job_archives: 1 } },
  });
  expect(await contents()).toEqual([]);
  expect(await t.ctx.drivers.storage.exists(`archive/jobs/${old.archived}.ndjson.gz`)).toBe(false);
  expect(await t.ctx.db('jobs').where({ job_id: old.job_id }).first()).toMatchObject({ events_state: 'removed', output: null, error: { code: 'agent_error' } });
  expect(await getRecord(acme.as.auditor, { slug: acme.slug, kind: 'skill_execution', record_id: old.receipt })).toMatchObject({ signature_status: 'valid' });
  expect(await t.ctx.db('audit_log').where({ target_id: acme.id, action: 'compliance.purge_ended' })).toHaveLength(1);
  await recordHistory(t.temporal, `compliance-purge:${purge_id}`, 'complianceRetention.ended');
  expect(forget).toHaveBeenCalledWith(acme.id, expect.objectContaining({ endedBefore: expect.any(Date) }));
  expect(await checked(await fileOf(acme, await ended(acme, await begin(acme))))).toMatchObject({ isAuthentic: true, script: 0 });

  await oldRun(acme, 170);
  const young = await contents();
  await jobEnded((await enforceRetention(acme.as.owner, { slug: acme.slug, dry_run: false })).job_id);
  expect(await contents()).toEqual(young);
});

test('a hold that is set in the middle stops the rest; the night takes nothing of it, and the rest once it has ended', async () => {
  const acme = await worldOf();
  await oldRun(acme, 400);
  await savePolicy(acme);
  broken = async (name) => {
    if (name !== 'removeContents') return;
    broken = undefined;
    await savePolicy(acme, { version: 1, legal_hold: true, hold_reason: 'Case 12' });
  };
  const { job_id, purge_id } = await enforceRetention(acme.as.admin, { slug: acme.slug, dry_run: false });
  expect(await jobEnded(job_id)).toMatchObject({ state: 'failed', error: { code: 'legal_hold' } });
  await recordHistory(t.temporal, `compliance-purge:${purge_id}`, 'complianceRetention.held');
  const later: Ctx = { ...t.ctx, clock: () => Date.now() + 2 * DAY };
  await enforceNightly(later);
  expect(await t.ctx.db('compliance_purges').where({ organization_id: acme.id })).toHaveLength(1);
  expect(await contents()).toContain('runs');
  await savePolicy(acme, { version: 2 });
  await Promise.all([enforceNightly(later), enforceNightly(later)]);
  const purges = await t.ctx.db('compliance_purges').where({ organization_id: acme.id }).orderBy('created_at');
  expect(purges.map(({ requested_by }) => requested_by)).toEqual([acme.as.admin.actor.user_id, null]);
  expect(await jobEnded(purges[1]?.job_id ?? '')).toMatchObject({ state: 'succeeded' });
  const args = await t.ctx.db('runs').where({ agent_id: acme.agent.id }).first('args');
  expect(args).toEqual({ args: null });
});

test('after a person is purged the export still holds; under a hold nobody is purged', async () => {
  const acme = await worldOf();
  const run = await oldRun(acme, 1);
  await savePolicy(acme, { legal_hold: true });
  const row = await t.user('op');
  await t.ctx.db('users').where({ user_id: row.actor.user_id }).update({ operator: true });
  const operator: TestUser = { ...row, actor: { ...row.actor, operator: true } };
  const person = acme.as.developer.actor.user_id;
  const purge = (user_ids: string) => purgeUsers(operator, { user_ids });
  await expect(purge(person)).rejects.toMatchObject({ code: 'legal_hold' });
  await expect(purge(acme.id)).rejects.toMatchObject({ code: 'legal_hold' });
  await t.ctx.db('organization_members').where({ user_id: person }).delete();
  await expect(purge(person), 'who has called its agents, member or not').rejects.toMatchObject({ code: 'legal_hold' });
  await savePolicy(acme, { version: 1 });
  broken = async (name) => {
    if (name !== 'removeRows') return;
    broken = undefined;
    await savePolicy(acme, { version: 2, legal_hold: true });
  };
  expect(await jobEnded((await purge(person)).job_id)).toMatchObject({ state: 'failed', error: { code: 'legal_hold' } });
  expect(await t.ctx.db('runs').where({ run_id: run.run_id })).toHaveLength(1);
  await savePolicy(acme, { version: 3 });
  expect(await jobEnded((await purge(person)).job_id)).toMatchObject({ state: 'succeeded' });
  expect(await t.ctx.db('runs').where({ run_id: run.run_id })).toHaveLength(0);
  const made = await ended(acme, await begin(acme));
  expect(made.counts).toMatchObject({ skill_execution: 1, valid: 1 });
  expect(await checked(await fileOf(acme, made))).toMatchObject({ isAuthentic: true, failed: [], script: 0 });
});

test('the file is served whole', async () => {
  const acme = await worldOf();
  await receiptOf(t.ctx, acme.agent);
  const made = await ended(acme, await begin(acme));
  const view = await exportFile(acme.as.auditor, { slug: acme.slug, export_id: made.export_id });
  expect((await buffer(await view.open())).length).toBe(made.size_bytes);
});

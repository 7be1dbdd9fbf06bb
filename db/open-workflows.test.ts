// Installations of before know which workflows are open by their rows: what still continues is looked after
// from the first start on, what has ended is not.
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '#test/support/servers.ts';
import { addAgent, addUser } from '#test/support/verbs.ts';
import { down, up } from './migrations/0031_open_workflows.ts';
import { createPool } from './pool.ts';

let db: Knex;
beforeAll(async () => void (db = createPool({ connectionString: (await testDatabase()).url })));
afterAll(() => db.destroy());

test('what is open is taken over with what starts it again', async () => {
  await down(db);
  const owner_id = await addUser(db);
  const agent = await addAgent(db, owner_id, { live: true });
  const message = { taskQueue: 'control', args: [{ job_id: 'job_1' }], searchAttributes: { SvcKind: 'x', SvcOwner: owner_id } };
  const start = (workflow_id: string, name: string) =>
    db('outbox').insert({ outbox_id: `out_${workflow_id}`, kind: 'start', workflow_id, name, message: JSON.stringify(message), request_id: 'req', sent_at: new Date() }); // prettier-ignore
  const job = (job_id: string, workflow_id: string, ended_at: Date | null) =>
    db('jobs').insert({ job_id, kind: 'dag', state: ended_at ? 'failed' : 'running', title: 'x', owner_id, workflow_id, ended_at });
  for (const [name, ended] of [
    ['open', null],
    ['over', new Date()],
  ] as const) {
    await start(`dag:${name}`, 'dagRun');
    await job(`job_${name}`, `dag:${name}`, ended);
  }
  const now = new Date();
  const wait = (wait_id: string, state: 'pending' | 'cancelled') =>
    db('waits').insert({ wait_id, kind: 'question', state, agent_id: agent.id, agent_name: agent.name, asked_of: owner_id, prompt: 'Which?', request: '{}', expires_at: now, resolved_at: state === 'pending' ? null : now }); // prettier-ignore
  for (const [wait_id, state] of [
    ['qst_open', 'pending'],
    ['qst_over', 'cancelled'],
  ] as const) {
    await start(`wait:${wait_id}`, 'humanWait');
    await wait(wait_id, state);
  }
  await db('payout_runs').insert({ run_id: 'por_1', key: 'one', state: 'running', created_at: now });
  await db('payout_runs').insert({ run_id: 'por_0', key: 'none', state: 'ended', created_at: now, ended_at: now });
  await db('agent_domains').insert({ domain_id: 'dom_1', agent_id: agent.id, hostname: 'a.example.test', state: 'active', nonce: 'x', round: 2, asks_certificate: true, prove_until: now }); // prettier-ignore
  await db('database_projects').insert({ project_id: 'dbp_1', owner_id, name: 'one', state: 'deleting', server_name: 'x', created_at: now, updated_at: now });
  await db('schedules').insert({ schedule_id: 'sch_1', owner_id, title: '', cron: '0 9 * * *', time_zone: 'UTC', overlap: 'skip', catchup_window_seconds: 60, jitter_seconds: 0, pause_on_failure: false, paused: false, target: JSON.stringify({ kind: 'skill', agent: agent.name, skill: 'work', args: {} }) }); // prettier-ignore
  const due = new Date('2026-01-01T09:00:00Z');
  await db('schedule_firings').insert({ firing_id: 'schedrun:sch_1-x', schedule_id: 'sch_1', cause: 'time', due_at: due, state: 'running', started_at: due });

  await up(db);
  const rows = await db('open_workflows').orderBy('workflow_id').select('workflow_id', 'type', 'message', 'restarts');
  expect(rows.map(({ workflow_id, type }) => [workflow_id, type])).toEqual([
    ['certificate:dom_1', 'renewCertificate'],
    ['dag:open', 'dagRun'],
    ['database-drop:dbp_1', 'dropDatabase'],
    ['domain:dom_1:2', 'verifyDomain'],
    ['payout:por_1', 'settlePayouts'],
    ['schedrun:sch_1-x', 'scheduledRun'],
    ['wait:qst_open', 'humanWait'],
  ]);
  const messageOf = (id: string): unknown => rows.find(({ workflow_id }) => workflow_id === id)?.message;
  expect(messageOf('dag:open')).toEqual(message);
  expect(messageOf('domain:dom_1:2')).toEqual({ taskQueue: 'control', args: [{ domain_id: 'dom_1', round: 2 }], searchAttributes: { SvcKind: 'domain', SvcAgent: agent.name, SvcOwner: owner_id } }); // prettier-ignore
  expect(messageOf('database-drop:dbp_1')).toMatchObject({ args: [{ project_id: 'dbp_1', branch_id: null }] });
  expect(messageOf('schedrun:sch_1-x')).toMatchObject({ args: [{ schedule_id: 'sch_1', firing: { due_at: due.getTime(), made_at: due.getTime() } }] });
});

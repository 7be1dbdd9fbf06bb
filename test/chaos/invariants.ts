// What must be true whatever was killed, looked at from outside: the database, the agents' own marks, the
// processes and files of the machine.
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { decodeReceipt } from '#contract/wire/receipt.ts';
import { places } from '#stack/settings.ts';
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import { openWorkflows } from './engine.ts';
import { type ModelHits, ofModels } from './models.ts';
import { answerFaults, type Outcome, plainArgs } from './operations.ts';
import { madeQueries } from './made-agents.ts';
import { moneyLeftovers } from './money.ts';
import { moneyQueries } from './money-queries.ts';
import { roomAndTeamQueries } from './rooms-and-teams.ts';
import { studioQueries } from './studio.ts';
import { verify } from './verify.ts';
import { answersTo } from './ways-in.ts';
import type { World } from './world.ts';

/** What the faults of a round may have done to an operation. */
export interface MayBe {
  /** Its machine was killed, or what it hangs on. */
  isLost: boolean;
  /** Its workflow was terminated: its job says that it is lost, whatever the job was for. */
  isTerminated: boolean;
}

/**
 * A round is over: nothing of it may be left, and nothing may have come twice. `hits`: requests to models
 * that were under way there may be settled late.
 */
export async function check(world: World, outcomes: readonly Outcome[], mayBe: (outcome: Outcome) => MayBe, hits: Omit<ModelHits, 'marks'>): Promise<string[]> {
  return [
    ...outcomes.flatMap((outcome) => ofOperation(outcome, mayBe(outcome))),
    ...(await ofMarks(world, outcomes)),
    ...(await ofRows(world)),
    ...(await ofReceipts(world)),
    ...(await ofPlainCalls(world, outcomes)),
    ...(await ofMails(world, outcomes)),
    ...(await ofModels(world, outcomes, { ...hits, marks: await marksIn(world) })),
  ];
}

function ofOperation(outcome: Outcome, { isLost, isTerminated }: MayBe): string[] {
  const about = (text: string): string => `${outcome.kind} ${outcome.token}${outcome.runId === undefined ? '' : ` (${outcome.runId})`}: ${text}`;
  const faults = [...outcome.faults, ...answerFaults(outcome)].map(about);
  const expected: Record<Outcome['kind'], string[]> = {
    question: ['succeeded'],
    race: ['succeeded'],
    'held-question': ['succeeded', 'not accepted'],
    steps: ['succeeded'],
    scope: ['succeeded'],
    relay: ['succeeded'],
    'relayed-question': ['succeeded'],
    plain: ['succeeded', 'not accepted'],
    schedule: ['accepted', 'not accepted'],
    cancel: ['cancelled'],
    domain: ['removed'],
    import: ['imported'],
    push: ['live'],
    heal: ['healed'],
    mail: ['answered'],
    stream: ['succeeded'],
    proof: ['passed'],
    database: ['dropped'],
    review: ['review succeeded'],
    rehearsal: ['rehearsal passed'],
    simulation: ['simulation succeeded'],
    evolution: ['evolution succeeded'],
    export: ['exported'],
    'trial-room': ['trial succeeded', 'trial cancelled'],
    team: ['team succeeded', 'team cancelled'],
    studio: ['studio succeeded', 'studio cancelled'],
    money: ['settled'],
  };
  const well =
    expected[outcome.kind].includes(outcome.state) ||
    (isTerminated && /\bworkflow_lost\b/.test(outcome.error ?? '')) ||
    (isLost &&
      ['failed', 'review failed', 'rehearsal incomplete', 'rehearsal failed', 'trial failed', 'team failed', 'studio failed', 'call failed'].includes(
        outcome.state,
      )) ||
    (outcome.kind === 'held-question' && outcome.state.startsWith('answered 50'));
  return well ? faults : [...faults, about(`ended as ${outcome.state}${outcome.error === undefined ? '' : ` (${outcome.error})`}`)];
}

/** No step of a skill was done twice. */
async function ofMarks(world: World, outcomes: readonly Outcome[]): Promise<string[]> {
  if (world.vm) return [];
  const lines = await marksIn(world);
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  const twice = [...counts].filter(([, count]) => count > 1).map(([line, count]) => `done ${count} times: ${line}`);
  const ran = new Set(lines.map((line) => line.split(' ')[0]));
  const never = outcomes.filter(({ state, token, kind }) => state === 'succeeded' && !ran.has(token) && kind !== 'schedule');
  return [...twice, ...never.map(({ token }) => `said to have succeeded, never ran: ${token}`)];
}

/**
 * A call that ran left one receipt, also when nobody was left to hear its end; one that did not run left one
 * at most.
 */
async function ofPlainCalls(world: World, outcomes: readonly Outcome[]): Promise<string[]> {
  const ran = new Set((await marksIn(world)).map((line) => line.split(' ')[0]));
  const calls = outcomes.filter(({ kind }) => kind === 'plain');
  const faults = await Promise.all(
    calls.map(async (outcome) => {
      const { rows } = await world.db.query(`select 1 from receipts where payload->>'input_sha256' = $1`, [canonicalSha256(plainArgs(world, outcome))]);
      const due = outcome.state === 'succeeded' || ran.has(outcome.token);
      return rows.length > 1 || (due && rows.length === 0) ? [`plain ${outcome.token} (${outcome.state}) has ${rows.length} receipts`] : [];
    }),
  );
  return faults.flat();
}

async function marksIn({ marks, vm }: World): Promise<string[]> {
  // Machines write them inside, where a clone or a new one has its own: there the events alone tell.
  if (vm) return [];
  return (await readFile(marks, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
}

/** However often it was handed over: one answer, and the same each time. */
async function ofMails(world: World, outcomes: readonly Outcome[]): Promise<string[]> {
  const faults = await Promise.all(
    outcomes.map(async ({ kind, token, state }) => {
      if (kind !== 'mail') return [];
      const answers = await answersTo(world, token);
      return answers.length === (state === 'answered' ? 1 : 0) ? [] : [`mail ${token} (${state}) got ${answers.length} answers: ${answers.join(' | ')}`];
    }),
  );
  return faults.flat();
}

const queries: Record<string, string> = {
  'pushed commits that were not deployed once': `select a.name || ' ' || d.source_commit as id from deployments d join agents a using (agent_id)
     where a.name like 'pushed-%' group by 1 having count(*) > 1`,
  'agents imported twice': `select name as id from agents where name like 'imported-%' group by name having count(*) > 1`,
  'mails that were taken twice': `select message_id as id from mail_messages where direction = 'in' group by message_id having count(*) > 1`,
  'mails that were answered twice': `select answers as id from mail_messages where direction = 'out' group by answers having count(*) > 1`,
  'databases whose events are not told once': `select project_id as id from database_events where kind = 'project_deleted' group by project_id having count(*) > 1`,
  'databases that are on their way, when all is over': `select project_id as id from database_projects where state in ('pending', 'deleting', 'failed')`,
  'logins from before, when all is over': `select login_id as id from database_logins l join database_roles r using (role_id) join database_branches b using (branch_id) where b.state = 'ready' and l.state <> 'current'`,
  'domains with two certificates': `select domain_id as id from domain_certificates where state in ('issued', 'replaced') group by domain_id having count(*) > 1`,
  'job events with a gap or a double': `select j.job_id as id from jobs j left join job_events e using (job_id) group by j.job_id, j.last_seq
     having count(e.seq) <> j.last_seq or coalesce(max(e.seq), 0) <> j.last_seq or coalesce(min(e.seq), 1) <> 1`,
  'jobs whose end is not told once': `select j.job_id as id from jobs j left join job_events e on e.job_id = j.job_id and e.kind in ('job.succeeded', 'job.failed', 'job.cancelled')
     where j.ended_at is not null group by j.job_id having count(e.seq) <> 1`,
  'jobs that said something after their end': `select j.job_id as id from jobs j join job_events e using (job_id)
     where e.kind in ('job.succeeded', 'job.failed', 'job.cancelled') and e.seq < j.last_seq`,
  'proofs with two verdicts, or two signatures': `select p.proof_id as id from agent_proofs p left join job_events e on e.job_id = p.job_id and e.kind = 'proof.signed'
     where p.ended_at is not null group by p.proof_id having count(e.seq) <> case when p.token is null then 0 else 1 end`,
  'proofs and jobs that disagree': `select p.proof_id as id from agent_proofs p join jobs j using (job_id) where (p.ended_at is null) <> (j.ended_at is null)`,
  'proofs whose receipt is of another run': `select p.proof_id as id from agent_proofs p join receipts r using (receipt_id) where r.run_id is distinct from p.run_id`,
  'exports that did not end once': `select e.export_id as id from compliance_exports e join jobs j using (job_id)
     left join audit_log l on l.action = 'compliance.export_ended' and l.details->>'export_id' = e.export_id
     where j.ended_at is not null group by e.export_id, j.state, e.manifest having count(l.audit_id) <> 1 or (j.state = 'succeeded') <> (e.manifest is not null)`,
  'runs with more than one receipt': `select run_id as id from receipts where run_id is not null group by run_id having count(*) > 1`,
  'durable runs that ended without a receipt': `select r.run_id as id from runs r join jobs j on j.workflow_id = 'run:' || r.run_id
     where r.ended_at is not null and not exists (select 1 from receipts c where c.run_id = r.run_id)`,
  'runs and jobs that disagree': `select r.run_id as id from runs r join jobs j on j.workflow_id = 'run:' || r.run_id where (r.ended_at is null) <> (j.ended_at is null) or (r.ended_at is not null and r.state <> j.state)`,
  'runs whose kind is not what holds them': `select r.run_id as id from runs r left join jobs j on j.workflow_id = 'run:' || r.run_id where (r.kind = 'call') <> (j.job_id is null)`,
  // A job that ended before says nothing any more: a question of a call whose caller has ended meanwhile.
  'waits resolved without one decision event': `select w.wait_id as id from waits w join jobs j on j.job_id = w.job_id
     left join job_events e on e.job_id = w.job_id and e.kind = 'wait.' || w.state and e.payload->>'wait_id' = w.wait_id
     where w.state not in ('pending', 'cancelled') and (j.ended_at is null or w.resolved_at < j.ended_at) group by w.wait_id having count(e.seq) <> 1`,
  'answers that were not heard by a run that succeeded': `select w.wait_id as id from waits w join runs r using (run_id)
     where w.state = 'answered' and w.delivered_at is null and r.state = 'succeeded' and w.resolved_at < r.ended_at - interval '1 hour'`,
};

async function ofRows({ db }: World): Promise<string[]> {
  const faults: string[] = [];
  for (const [what, sql] of Object.entries({ ...queries, ...studioQueries, ...roomAndTeamQueries, ...madeQueries, ...moneyQueries })) {
    const { rows } = await db.query<{ id: string }>(sql);
    if (rows.length > 0)
      faults.push(
        `${what}: ${rows
          .slice(0, 5)
          .map(({ id }) => id)
          .join(', ')}${rows.length > 5 ? ` and ${rows.length - 5} more` : ''}`,
      );
  }
  return faults;
}

const Receipt = z.object({ agent_id: z.string(), seq: z.coerce.number(), token: z.string(), payload_sha256: z.string() });

/** Each agent's chain from its first receipt, every signature checked with the published keys. */
async function ofReceipts(world: World): Promise<string[]> {
  const { keys } = await world.api.public.receiptKeys();
  const { rows } = await world.db.query('select agent_id, seq, token, payload_sha256 from receipts order by agent_id, seq');
  const faults: string[] = [];
  const heads = new Map<string, { seq: number; sha256: string | null }>();
  for (const { agent_id, seq, token, payload_sha256 } of z.array(Receipt).parse(rows)) {
    const head = heads.get(agent_id) ?? { seq: 0, sha256: null };
    const { payload } = decodeReceipt(token);
    if (seq !== head.seq + 1 || payload.seq !== seq) faults.push(`receipt ${seq} of ${agent_id} follows ${head.seq}`);
    if (payload.previous_sha256 !== head.sha256) faults.push(`receipt ${seq} of ${agent_id} names another one as the one before`);
    if (!(await verify(token, keys))) faults.push(`receipt ${seq} of ${agent_id}: its signature does not fit`);
    heads.set(agent_id, { seq, sha256: payload_sha256 });
  }
  return faults;
}

/** What may be under way for a moment more; undefined when nothing is. */
export async function leftovers(world: World): Promise<string | undefined> {
  const { rows } = await world.db.query<{ what: string; n: number }>(
    `select * from (
       select 'open runs' as what, count(*)::int as n from runs r where ended_at is null
       union all select 'open jobs', count(*)::int from jobs where ended_at is null
       union all select 'open waits', count(*)::int from waits where state = 'pending'
       union all select 'unsent messages', count(*)::int from outbox where sent_at is null
       union all select 'open firings', count(*)::int from schedule_firings where ended_at is null
       union all select 'calls under way', count(*)::int from open_calls where receipt_id is null
       union all select 'custom domains', count(*)::int from agent_domains
       union all select 'pushes to be deployed', count(*)::int from source_pushes
       union all select 'mails under way', count(*)::int from mail_messages where state in ('accepted', 'running', 'queued')
       union all select 'open repairs', count(*)::int from agent_repairs where ended_at is null
       union all select 'stages of rehearsals', count(*)::int from protocol_simulations where stage_user_id is not null and stage_removed_at is null
       union all select 'staged patches', count(*)::int from patches where state = 'staged'
       union all ${moneyLeftovers}
     ) counted where n > 0`,
  );
  const open = await world.db.query<{ about: string }>(
    `select concat_ws(' ', r.run_id, r.agent_name, r.skill, r.state, 'called by', r.caller_kind, case when r.job_id is null then 'without a job' end, 'parent', r.parent_run_id, p.state) as about
     from runs r left join runs p on p.run_id = r.parent_run_id where r.ended_at is null limit 5`,
  );
  const calls = await world.db.query<{ about: string }>(
    `select concat_ws(' ', 'call', o.call->'route'->>'agentName', o.call->>'skill', 'by', o.call->'caller'->>'kind', 'of', r.run_id, r.state, case when o.goes_on then 'followed' end, 'by', o.process_id, 'seen', p.seen_at) as about
     from open_calls o left join runs r on r.run_id = o.call->'run'->>'run_id' left join api_processes p using (process_id) where o.receipt_id is null limit 5`,
  );
  const workflows = await openWorkflows(world);
  const all = [
    ...calls.rows.map(({ about }) => about),
    ...open.rows.map(({ about }) => about),
    ...rows.map(({ what, n }) => `${n} ${what}`),
    ...(workflows.length > 0 ? [`open workflows ${workflows.slice(0, 5).join(', ')}`] : []),
  ];
  return all.length === 0 ? undefined : all.join('; ');
}

/** At the end: one process and one folder for each instance that serves, and nothing of ours half written. */
export async function orphans(world: World): Promise<string[]> {
  const { rows } = await world.db.query<{ instance_id: string }>(`select instance_id from instances where state <> 'stopped'`);
  const wanted = new Set(rows.map(({ instance_id }) => instance_id));
  const folders = await readdir(places(world.i.stateDir).machines);
  const faults = folders.filter((name) => !wanted.has(name)).map((name) => `machine folder ${name} belongs to no instance`);
  const machines = await world.machines();
  if (machines.length > wanted.size) faults.push(`${machines.length} machines run, ${wanted.size} instances are there`);
  const temporary = (await readdir(join(world.i.stateDir, 'run'))).filter((name) => /\.\d+$|\.tmp$/.test(name));
  return [...faults, ...temporary.map((name) => `half-written file ${name}`)];
}

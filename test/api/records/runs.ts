// Waits, threads, plans, schedules, sessions, calls between agents, jobs.
import { randomUUID } from 'node:crypto';
import { sha256Hex } from '#contract/crypto/sha256.ts';
import { newId } from '#core/kernel/ids.ts';
import { createJob } from '#core/jobs/create.ts';
import { transitionJob } from '#core/jobs/transition.ts';
import { createPlan } from '#core/conversation/plan/create.ts';
import { appendThreadEvents } from '#core/threads/append.ts';
import { addThread } from '#core/threads/create.ts';
import type { ScopeRequest } from '#core/pauses/wait/model.ts';
import { inTx } from '#core/kernel/tx.ts';
import { bucketOf } from '#core/workspace/grant/bucket.ts';
import { mintGrant } from '#core/workspace/grant/mint.ts';
import type { AreaRecords, Owner } from './area.ts';
import { runRow } from './run-row.ts';

export async function runsRecords(owner: Owner): Promise<AreaRecords> {
  const target = { kind: 'skill', agent: owner.agent.name, skill: 'greet', args: {} };
  const calls = {
    // No worker processes the turn here: it is answered as it is.
    'chat.send': { body: { message: `@${owner.agent.name}.greet {}` }, headers: { prefer: 'wait=0' } },
    'agentSessions.start': { body: { skill: 'greet', args: {} } },
    'schedules.create': { body: { cron: '30 9 * * *', target } },
    'subagentRuns.track': { body: await reportOfCall(owner) },
  };
  const params = {
    ...(await addWaits(owner)),
    thread_id: await addConversation(owner),
    'chatThreads.delete.thread_id': await addThreadOf(owner),
    dag_run_id: await addPlan(owner),
    schedule_id: await addSchedule(owner, target),
    'schedules.remove.schedule_id': await addSchedule(owner, target),
    session_id: await addSession(owner),
    grant_id: await addCall(owner),
    'grants.revoke.grant_id': await addCall(owner),
    job_id: await addJob(owner),
    'workLedger.cancel.job_id': await addJob(owner),
  };
  return { params, calls };
}

async function addWaits({ ctx, userId, agent }: Owner): Promise<Record<string, string>> {
  const ids = { question_id: `qst_${randomUUID()}`, approval_id: `scr_${randomUUID()}`, request_id: `inr_${randomUUID()}` };
  const handoff = `hof_${randomUUID()}`;
  const preview = '{}';
  const scope: ScopeRequest = {
    bucket: bucketOf(userId),
    grant_id: null,
    old: null,
    read: ['docs/**'],
    write_prefix: null,
    mode: 'read_only',
    ttl_seconds: 60,
    deny_patterns: [],
    reason: 'to read',
    files: [],
  };
  const asked = {
    [ids.question_id]: { kind: 'question', request: {} },
    [ids.approval_id]: { kind: 'scope_request', request: scope },
    [ids.request_id]: { kind: 'input_request', request: { schema: { type: 'object' } } },
    [handoff]: {
      kind: 'handoff_approval',
      request: { agent: agent.name, skill: 'greet', input_sha256: sha256Hex(preview), preview, grant_id: null, foreign: false },
    },
  } as const;
  const expires_at = new Date(ctx.clock() + 600_000).toISOString();
  const pending = { asked_of: userId, agent_id: agent.id, agent_name: agent.name, skill: 'greet', prompt: '?', expires_at };
  await ctx.db('waits').insert(Object.entries(asked).map(([wait_id, { kind, request }]) => ({ ...pending, wait_id, kind, request: JSON.stringify(request) })));
  return { ...ids, wait_id: ids.question_id, 'chat.decideHandoff.approval_id': handoff };
}

const addThreadOf = ({ ctx, userId }: Owner): Promise<string> =>
  inTx(ctx, async (ctx) => (await addThread(ctx, { ownerId: userId, title: 'Thread', titled: true })).thread_id);

/**
 * Of everything that a thread may have: calls, a plan, forms, what is asked and was decided, words with
 * marks, things that failed.
 */
async function addConversation(owner: Owner): Promise<string> {
  const { ctx, agent } = owner;
  const thread_id = await addThreadOf(owner);
  const [turn_id, run_id, failed, dag_run_id] = [newId('trn'), newId('run'), newId('run'), newId('dag')];
  const of = { agent: agent.name, skill: 'greet' };
  const say = (role: 'user' | 'assistant', text: string) => ({ kind: 'message', payload: { message_id: newId('msg'), role, turn_id, text } });
  const wait = { kind: 'question', prompt: 'Which greeting do you like best?', expires_at: new Date(ctx.clock() + 600_000).toISOString(), ...of, run_id };
  const nodes = [1, 2, 3].map((number) => ({ number, ...of, depends_on: number === 3 ? [1, 2] : [] }));
  const error = { code: 'agent_error', message: 'The greeter has lost its voice' };
  const candidate = { ...of, title: 'Greet', description: 'Greets.', mine: true, score: 0.5, args: {}, missing: ['name'], say: '' };
  const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  await appendThreadEvents(ctx.db, thread_id, [
    say('user', `@${agent.name}.greet {"name": "Ada"}`),
    { kind: 'turn.started', payload: { turn_id, reading: 'call' } },
    { kind: 'run.started', payload: { run_id, job_id: newId('job'), ...of } },
    { kind: 'run.progress', payload: { run_id, message: 'Half of it', progress: 1, total: 2 } },
    { kind: 'run.tool', payload: { run_id, call_id: '1', name: 'dictionary', phase: 'finished', summary: '3 words' } },
    { kind: 'run.succeeded', payload: { run_id, ...of, result: { text: 'Hello', words: 1 }, receipt_id: null } },
    say(
      'assistant',
      '# Hello\n\nA **list**, and a [link](https://example.com):\n\n- one\n- two\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```\ncode <b>\n```\n\n<script>x</script>',
    ),
    { kind: 'turn.ended', payload: { turn_id, state: 'succeeded' } },
    { kind: 'plan.started', payload: { dag_run_id, job_id: newId('job'), title: 'Greet three', planner: 'steps' } },
    { kind: 'plan.planned', payload: { dag_run_id, nodes } },
    { kind: 'plan.node', payload: { dag_run_id, number: 1, ...of, state: 'succeeded' } },
    { kind: 'wait.opened', payload: { wait_id: `qst_${randomUUID()}`, ...wait } },
    { kind: 'run.started', payload: { run_id: failed, job_id: newId('job'), ...of } },
    { kind: 'run.failed', payload: { run_id: failed, ...of, error } },
    { kind: 'turn.candidates', payload: { turn_id, candidates: [{ ...candidate, schema }] } },
    say('assistant', 'Choose one and fill its form.'),
  ]);
  return thread_id;
}

/** Three steps, of which one is done. */
async function addPlan({ ctx, userId, agent }: Owner): Promise<string> {
  const step = { agent: agent.name, skill: 'greet', args: { name: 'Ada' } };
  const nodes = [[], [1], [1]].map((depends_on) => ({ ...step, depends_on }));
  const plan = { ownerId: userId, threadId: null, title: 'Plan', planner: 'steps' as const, nodes };
  const { dag_run_id } = await inTx(ctx, (ctx) => createPlan(ctx, plan));
  await ctx.db('dag_nodes').where({ dag_run_id, number: 1 }).update({ state: 'succeeded', started_at: new Date(), ended_at: new Date() });
  return dag_run_id;
}

const addJob = ({ ctx, userId }: Owner): Promise<string> => inTx(ctx, (ctx) => createJob(ctx, { kind: 'run', title: 'Run', ownerId: userId }));

async function addSchedule({ ctx, userId, agent }: Owner, target: object): Promise<string> {
  const schedule_id = newId('sch');
  const times = {
    cron: '30 9 * * *',
    time_zone: 'UTC',
    skipped_times: 'run_after' as const,
    repeated_times: 'once' as const,
    overlap: 'skip' as const,
    catchup_window_seconds: 3600,
    jitter_seconds: 0,
    pause_on_failure: false,
  };
  const paused = { paused: true, paused_by: 'owner' as const };
  const row = { schedule_id, owner_id: userId, title: 'Every morning', ...times, ...paused, target: JSON.stringify(target), agent_id: agent.id };
  await ctx.db('schedules').insert(row);
  return schedule_id;
}

/** The log of a run that has ended. */
async function addSession(owner: Owner): Promise<string> {
  const { ctx, userId, agent } = owner;
  const [run_id, session_id] = [newId('run'), newId('ags')];
  const job_id = await inTx(ctx, async (ctx) => {
    const made = await createJob(ctx, { kind: 'run', title: 'Session', ownerId: userId });
    await transitionJob(ctx.db, made, { from: ['queued'], to: 'succeeded', output: { result: 1 } });
    return made;
  });
  await ctx.db('runs').insert({ ...runRow(owner, run_id), job_id });
  const header = {
    type: 'svc.session.v1',
    session_id,
    agent: agent.name,
    version: '1.0.0',
    skill: 'greet',
    run_id,
    input_sha256: '0'.repeat(64),
    started_at: new Date().toISOString(),
    kid: 'key_1',
  };
  await ctx.db('agent_sessions').insert({ session_id, user_id: userId, agent_id: agent.id, run_id, job_id, header: JSON.stringify(header) });
  return session_id;
}

const mint = ({ ctx, userId, agent }: Owner) =>
  inTx(ctx, (ctx) => mintGrant(ctx, { userId, audience: agent.name, allow: ['**'], deny: [], mode: 'read_only', outputsPrefix: null, ttlSeconds: 3600 }));

/** A call that was reported, without its arguments. */
async function addCall(owner: Owner): Promise<string> {
  const { grant_id } = (await mint(owner)).grant;
  const reported = JSON.stringify({ state: 'running', ended_at: null, input_sha256: null, output_sha256: null, error_code: null });
  const call = { agent_name: owner.agent.name, skill: 'greet', source: 'reported' as const, started_at: new Date(), reported };
  await owner.ctx.db('subagent_runs').insert({ grant_id, owner_id: owner.userId, ...call });
  return grant_id;
}

async function reportOfCall(owner: Owner): Promise<object> {
  return { grant: (await mint(owner)).token, skill: 'greet', state: 'running', started_at: new Date().toISOString() };
}

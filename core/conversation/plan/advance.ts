// The next step of a plan: records steps that have ended and starts those that are ready, in one transaction
// under the plan's lock. Idempotent: only the rows say how far the plan is.
import type { Knex } from 'knex';
import type { DagNodesRow, DagRunsRow } from '#db/tables.ts';
import { checkArgs } from '../../runs/run/check-args.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { DomainError, type Fault, faultOf, storedFault } from '../../kernel/errors.ts';
import { markRunning } from '../../jobs/long-work.ts';
import { transitionJob } from '../../jobs/transition.ts';
import { storableJson } from '../../kernel/storable.ts';
import { system } from '../../kernel/act.ts';
import { recordRefusal } from '../../policy/deny.ts';
import { resolveRoute } from '../../agents/route/resolve.ts';
import { startRun } from '../../runs/durable/start.ts';
import { judgeHandoff } from '../../pauses/handoff/by-policy.ts';
import { appendThreadEvent } from '../../threads/append.ts';
import { resolutionOf } from '../../pauses/wait/model.ts';
import { askForNode } from './ask.ts';
import { endPlan } from './end.ts';
import { argsOf, isNodeOver, MAX_PARALLEL, type NodeState } from './model.ts';
import { resultIn } from '../../runs/run/outcome.ts';
import { resolveArgs } from './references.ts';
import { roomForNode } from './room.ts';
import { argsForMember, memberBriefIn, grantForMember, overBudget, replaceMember } from './team-node.ts';

/**
 * goes on: a step is under way and its end will arrive. room: a step waits for runs of its account to end.
 * think: a model decides what comes next.
 */
export type PlanProgress = 'goes on' | 'room' | 'think' | 'ended';

interface Node {
  row: DagNodesRow;
  state: NodeState;
  result: unknown;
  /** It could begin, and its account has as many runs under way as it may. */
  waitsForRoom?: boolean;
  /** Run that has begun now. */
  begun?: string;
}

/** `begun`: gets the ids of the runs that it starts. */
export async function advancePlan(ctx: Ctx, dagRunId: string, begun: string[] = []): Promise<PlanProgress> {
  return system(ctx, async (ctx) => {
    const plan = await ctx.db('dag_runs').where({ dag_run_id: dagRunId }).forUpdate().first();
    const job = plan && (await ctx.db('jobs').where({ job_id: plan.job_id }).forUpdate().first('state', 'ended_at'));
    if (!plan || !job || job.ended_at !== null) return 'ended';
    // Its workflow ends it as cancelled (cancel.ts); the end of its last step must not end it as failed
    // before.
    if (await ctx.db('job_events').where({ job_id: plan.job_id, kind: 'job.cancel_requested' }).first('seq')) return 'goes on';
    if (job.state === 'queued') await markRunning(ctx.db, plan.job_id);
    const nodes = await readNodes(ctx.db, dagRunId);
    for (const node of nodes) await note(ctx.db, plan, node);
    for (const node of nodes) await begin(ctx, plan, node, nodes);
    begun.push(...nodes.flatMap(({ begun: runId }) => runId ?? []));
    if (nodes.every(({ state }) => isNodeOver(state))) {
      if (plan.planner === 'model') return 'think';
      await endPlan(ctx, plan, endOf(nodes));
      return 'ended';
    }
    await showWaiting(ctx.db, plan, nodes);
    return nodes.some(({ waitsForRoom }) => waitsForRoom) ? 'room' : 'goes on';
  });
}

async function readNodes(tx: Knex, dagRunId: string): Promise<Node[]> {
  const rows = await tx('dag_nodes').where({ dag_run_id: dagRunId }).orderBy('number');
  const jobs = await tx('jobs')
    .whereIn(
      'job_id',
      rows.flatMap(({ job_id }) => (job_id === null ? [] : [job_id])),
    )
    .select('job_id', 'output');
  const outputs = new Map(jobs.map(({ job_id, output }) => [job_id, output]));
  return rows.map((row) => ({ row, state: row.state, result: resultIn(outputs.get(row.job_id ?? '')) }));
}

/** The outcome of its run, or of the question whether it may run. */
async function note(tx: Knex.Transaction, plan: DagRunsRow, node: Node): Promise<void> {
  const { row, state } = node;
  if (state === 'running' && row.job_id !== null) {
    const job = await tx('jobs').where({ job_id: row.job_id }).first('state', 'error', 'output');
    if (job?.state === 'succeeded') {
      node.result = resultIn(job.output);
      await move(tx, plan, node, 'succeeded');
    } else if (job?.state === 'failed') await failed(tx, plan, node, jobErrorOf(job.error));
    else if (job?.state === 'cancelled') await move(tx, plan, node, 'cancelled', jobErrorOf(job.error));
  }
  if (state !== 'asking' || row.wait_id === null) return;
  const wait = await tx('waits').where({ wait_id: row.wait_id }).first('state', 'resolution');
  if (!wait || wait.state === 'pending') return;
  if (wait.state === 'approved') return move(tx, plan, node, 'pending');
  const reason = resolutionOf(wait).reason;
  const message = wait.state === 'denied' ? `This call was denied${reason ? `: ${reason}` : ''}` : 'This call was not decided in time';
  await move(tx, plan, node, 'failed', { code: 'call_denied', message });
}

/** Another agent of the team takes its place, or it has failed. */
async function failed(tx: Knex.Transaction, plan: DagRunsRow, node: Node, error: Fault): Promise<void> {
  if (await replaceMember(tx, plan, node.row, error)) node.state = 'pending';
  else await move(tx, plan, node, 'failed', error);
}

const isTolerated = ({ row, state }: Node): boolean => row.may_fail && isNodeOver(state);

/** Its inputs are there: a person is asked, or it starts. After a failure no step starts. */
async function begin(ctx: TxCtx, plan: DagRunsRow, node: Node, nodes: readonly Node[]): Promise<void> {
  if (node.state !== 'pending') return;
  const before = node.row.depends_on.map((number) => nodes.find(({ row }) => row.number === number));
  // A model learns of a failure and decides; other plans stop.
  const stopped = plan.planner !== 'model' && nodes.some(({ state, row }) => (state === 'failed' || state === 'cancelled') && !row.may_fail);
  if (stopped || before.some((one) => one === undefined || (isNodeOver(one.state) && one.state !== 'succeeded' && !isTolerated(one))))
    return move(ctx.db, plan, node, 'skipped');
  if (before.some((one) => one?.state !== 'succeeded' && !(one && isTolerated(one)))) return;
  if (nodes.filter(({ state }) => state === 'running').length >= MAX_PARALLEL) return;
  const brief = memberBriefIn(node.row);
  const over = brief && (await overBudget(ctx.db, plan));
  if (over) return move(ctx.db, plan, node, 'failed', over);
  const gave = before.flatMap((one) => (one?.state === 'succeeded' ? [{ step: one.row.step ?? `${one.row.number}`, result: one.result }] : []));
  const written = brief ? await argsForMember(ctx.db, node.row, brief, gave) : undefined;
  const { args, missing } = written
    ? { args: written, missing: [] }
    : resolveArgs(argsOf(node.row), (step) => nodes.find(({ row }) => row.number === step)?.result);
  if (missing.length > 0) {
    const message = `${missing[0]} is not in what that step gave: look at its result, and name what is there`;
    return move(ctx.db, plan, node, 'failed', { code: 'reference_missing', message });
  }
  // Safe: arguments are an object, and replacing texts inside leaves it one.
  const resolved = args as Record<string, unknown>;
  if (node.row.wait_id === null && (node.row.ask || (await rulesRequireApproval(ctx, plan, node.row)))) {
    const unfit = await unfitFor(ctx.db, node.row, resolved);
    // No approval is asked for a call that cannot be made.
    if (unfit) return move(ctx.db, plan, node, 'failed', faultOf(unfit));
    const wait_id = await askForNode(ctx, plan, node.row, resolved);
    await ctx.db('dag_nodes').where({ dag_run_id: plan.dag_run_id, number: node.row.number }).update({ wait_id });
    return move(ctx.db, plan, node, 'asking');
  }
  const room = await roomForNode(ctx, plan, node.row);
  if (room === 'waits') {
    node.waitsForRoom = true;
    return;
  }
  if (room !== 'room') return move(ctx.db, plan, node, 'failed', room);
  try {
    const { agent_name: agent, skill, number } = node.row;
    const grantId = brief ? await grantForMember(ctx, plan, node.row, brief) : undefined;
    const { run_id, job_id } = await startRun(ctx, {
      userId: plan.owner_id,
      agent,
      skill,
      args: resolved,
      parentJobId: plan.job_id,
      planId: plan.dag_run_id,
      idempotencyKey: `${plan.dag_run_id}:${number}${node.row.attempt === 0 ? '' : `:${node.row.attempt}`}`,
      ...(grantId !== undefined && { grantId }),
      ...(plan.thread_id === null ? {} : { threadId: plan.thread_id }),
    });
    await ctx
      .db('dag_nodes')
      .where({ dag_run_id: plan.dag_run_id, number })
      .update({ run_id, job_id, started_at: ctx.db.raw('now()'), ...(written && { args: storableJson(written) }) });
    if (grantId !== undefined) await ctx.db('grants').where({ grant_id: grantId }).update({ run_id });
    node.row.run_id = run_id;
    node.begun = run_id;
    await move(ctx.db, plan, node, 'running');
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    await recordRefusal(ctx, error, { run_id: plan.dag_run_id, agent_name: node.row.agent_name, job_id: plan.job_id });
    await failed(ctx.db, plan, node, faultOf(error));
    if (isPending(node)) await begin(ctx, plan, node, nodes);
  }
}

/** Its member was replaced. */
const isPending = ({ state }: Node): boolean => state === 'pending';

/** A rule of the account says that a person decides. What is refused is refused where it would begin. */
async function rulesRequireApproval(ctx: TxCtx, plan: DagRunsRow, { agent_name, skill }: DagNodesRow): Promise<boolean> {
  const by = { kind: 'user' as const, user_id: plan.owner_id, email: '', operator: false, via: 'bearer' as const };
  const inner = { ...ctx, actor: by };
  const route = await resolveRoute(inner, agent_name);
  if (!route) return false;
  const { verdict } = await judgeHandoff(inner, { route, skills: [skill] });
  return verdict.outcome === 'ask';
}

async function unfitFor(tx: Knex, { agent_name: agent, skill }: DagNodesRow, args: Record<string, unknown>): Promise<DomainError | undefined> {
  const row = await tx('agents').where({ name: agent }).whereNull('deleted_at').first('card', 'owner_id');
  try {
    await checkArgs({ agent, author: row?.owner_id ?? agent, card: row?.card, skill, args, at: [] });
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

async function move(tx: Knex, plan: DagRunsRow, node: Node, to: NodeState, error?: Fault): Promise<void> {
  node.state = to;
  await tx('dag_nodes')
    .where({ dag_run_id: plan.dag_run_id, number: node.row.number })
    .update({ state: to, ...(error ? { error: storableJson(error) } : {}), ...(isNodeOver(to) ? { ended_at: tx.raw('now()') } : {}) });
  if (plan.thread_id === null) return;
  const { number, agent_name: agent, skill, run_id } = node.row;
  await appendThreadEvent(tx, plan.thread_id, 'plan.node', {
    dag_run_id: plan.dag_run_id,
    number,
    agent,
    skill,
    state: to,
    ...(run_id === null ? {} : { run_id }),
    ...(error ? { error } : {}),
  });
}

function endOf(nodes: readonly Node[]): Parameters<typeof endPlan>[2] {
  const counted = nodes.filter(({ row }) => !row.may_fail);
  const wrong = counted.find(({ state }) => state === 'failed') ?? counted.find(({ state }) => state === 'cancelled');
  if (wrong)
    return {
      state: 'failed',
      error: {
        code: 'step_failed',
        message: `Step ${wrong.row.number} (@${wrong.row.agent_name}.${wrong.row.skill}) did not succeed: the steps after it were not started`,
      },
    };
  const results = Object.fromEntries(nodes.map(({ row, result }) => [String(row.number), result]));
  return { state: 'succeeded', result: nodes.at(-1)?.result ?? null, results };
}

/**
 * No step runs: each open one waits for a person. For a run that starts to wait later, its own job shows it.
 */
async function showWaiting(tx: Knex, plan: DagRunsRow, nodes: readonly Node[]): Promise<void> {
  const asks = nodes.some(({ state }) => state === 'asking') && !nodes.some(({ state }) => state === 'running');
  await transitionJob(tx, plan.job_id, asks ? { from: ['running'], to: 'waiting' } : { from: ['waiting'], to: 'running' });
}

function jobErrorOf(error: unknown): Fault {
  return storedFault(error) ?? { code: 'unknown', message: 'It ended without saying why' };
}

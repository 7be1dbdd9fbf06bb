// Starts a durable run: its row, its job and the start of its workflow, in the caller's transaction. Its
// agent is not asked yet.
import type { CallPurpose } from '#contract/states.ts';
import type { Knex } from 'knex';
import { callableRoute } from '../run/callable.ts';
import { refuseMailSkill } from '../../agents/route/may-call.ts';
import { takeAccountCalls } from '../../money/account-access/take.ts';
import { holdCharge, pendingCharge } from '../../money/charge/begin.ts';
import { takeHandoff } from '../../pauses/handoff/by-policy.ts';
import { type AheadIssues, checkArgs } from '../run/check-args.ts';
import { hashOfArgs } from '../run/hash.ts';
import { requireSetup } from '../../agents/setup/call.ts';
import { audit } from '../../kernel/audit.ts';
import { withControl } from '../../accounts/control.ts';
import type { RunActor, TxCtx, UserActor } from '../../kernel/ctx.ts';
import { Conflict, Forbidden, NotFound } from '../../kernel/errors.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { requireCallOf } from '../../kernel/policy.ts';
import { createJob } from '../../jobs/create.ts';
import { startWorkflow } from '../../outbox/messages.ts';
import { traceColumns, traceOfPlan } from '../../kernel/trace.ts';
import { storable, storableJson } from '../../kernel/storable.ts';
import { appendRunStarted } from './show-in-thread.ts';
import { beginRun } from '../run/begin.ts';
import { workflowOfRun } from '../../jobs/of-run.ts';
import { requireRunRoom } from './room.ts';

export interface StartRunIn {
  /** On whose behalf: owner of the job, caller of the run. */
  userId: string;
  agent: string;
  skill: string;
  args: Record<string, unknown>;
  /** They were read before the transaction. */
  ahead?: AheadIssues | undefined;
  /** Where they stand in the request that is answered, for its issues. */
  argsAt?: readonly string[];
  /** Of a grant addressed to that agent; its token is made again from the row when the agent is called. */
  grantId?: string;
  /**
   * The caller has shown the grant's token. Otherwise the grant must be the user's own: an id is no secret.
   */
  grantShown?: true;
  threadId?: string;
  parentJobId?: string;
  scheduleId?: string;
  /** The run that starts this one. */
  parent?: RunActor;
  /** The plan of which it is a step: all of its steps are in one trace. */
  planId?: string;
  title?: string;
  /** The same key of the same user gives the same run. */
  idempotencyKey?: string;
  /** The platform itself wants the run. */
  purpose?: CallPurpose;
  /** It is a mail that the platform has taken. */
  mail?: true;
}

export interface StartedRun {
  run_id: string;
  job_id: string;
  /** The key was used before: nothing was started now. */
  existing: boolean;
}

/**
 * @throws NotFound agent_not_found, skill_not_found; Invalid for arguments that do not fit; Conflict
 * agent_not_live, setup_required, account_access_used_up, call_loop, call_depth_exceeded,
 * idempotency_key_reused, too_many_runs; BadRequest args_not_canonical; PaymentRequired insufficient_credits,
 * policy_budget_reached, llm_cap_reached;
 * Forbidden grant_invalid, mail_only, account_suspended, not_permitted, policy_denied: to be recorded by who
 * catches it (recordRefusal)
 */
export async function startRun(ctx: TxCtx, i: StartRunIn): Promise<StartedRun> {
  // As they are stored, and so as the agent gets them.
  const args = storable(i.args);
  const inputSha256 = hashOfArgs(args);
  const known = await sameKey(ctx.db, i, inputSha256);
  if (known) return known;
  const actor = await withControl<RunActor | UserActor>(ctx.db, i.parent ?? callerOf(i.userId));
  const route = await callableRoute({ ...ctx, actor: i.parent ?? callerOf(i.userId) }, i.agent);
  requireCallOf(actor, route.ownerId);
  if (i.mail !== true) refuseMailSkill(route, i.skill);
  await requireRunRoom(ctx.db, i.userId);
  await checkArgs({ agent: route.agentName, author: route.ownerId, card: route.card, skill: i.skill, args: i.args, at: i.argsAt ?? [], ahead: i.ahead?.deployId === route.deployId ? i.ahead.issues : undefined }); // prettier-ignore
  await requireSetup(ctx.db, route, i.userId);
  await checkGrant(ctx, i);
  // Who started it is the person, also where they act for an organization.
  const caller = i.parent ?? (ctx.actor.kind === 'user' && ctx.actor.user_id === i.userId ? ctx.actor : callerOf(i.userId));
  await takeHandoff(ctx, i, caller, route);
  await takeAccountCalls(ctx, route, caller);
  const begun = beginRun(ctx, { route, actor: caller, skill: i.skill });
  const run = i.planId === undefined ? begun : { ...begun, trace: traceOfPlan(i.planId) };
  const jobId = await createJob(ctx, {
    kind: 'run',
    title: i.title ?? `${route.agentName}.${i.skill}`,
    ownerId: i.userId,
    agent: { id: route.agentId, name: route.agentName },
    workflowId: workflowOfRun(run.run_id),
    input: {
      run_id: run.run_id,
      agent: route.agentName,
      skill: i.skill,
      ...(i.scheduleId === undefined ? {} : { schedule_id: i.scheduleId }),
      ...optional('purpose', i.purpose),
    },
    ...optional('threadId', i.threadId ?? run.thread_id ?? undefined),
    ...optional('parentJobId', i.parentJobId ?? run.job_id ?? undefined),
    ...optional('idempotencyKey', i.idempotencyKey),
  });
  await ctx.db('runs').insert({
    run_id: run.run_id,
    agent_id: run.agent_id,
    agent_name: run.agent_name,
    deploy_id: run.deploy_id,
    skill: run.skill,
    user_id: i.userId,
    caller_kind: run.caller.kind,
    caller_id: run.caller.id,
    parent_run_id: run.parent_run_id,
    root_run_id: run.root_run_id ?? null,
    grant_id: i.grantId ?? null,
    depth: run.chain.length,
    chain: [...run.chain],
    job_id: jobId,
    thread_id: i.threadId ?? run.thread_id,
    schedule_id: i.scheduleId ?? null,
    kind: 'started',
    state: 'queued',
    args: storableJson(args),
    input_sha256: inputSha256,
    started_at: new Date(run.started_at).toISOString(),
    ...traceColumns(run),
    trace_state: run.trace?.state ?? null,
  });
  await startRunWorkflow(ctx, { runId: run.run_id, jobId, agent: route.agentName, skill: i.skill, owner: i.userId });
  await appendRunStarted(ctx.db, i.threadId ?? run.thread_id, { run_id: run.run_id, job_id: jobId, agent: route.agentName, skill: i.skill });
  await audit(ctx, 'run.start', { run: run.run_id }, { agent: route.agentName, skill: i.skill, user_id: i.userId, job_id: jobId });
  const charge = await pendingCharge({ db: ctx.db }, { route, actor: caller, run, skill: i.skill });
  if (charge) await holdCharge(ctx, charge);
  return { run_id: run.run_id, job_id: jobId, existing: false };
}

export async function startRunWorkflow(ctx: TxCtx, i: { runId: string; jobId: string; agent: string; skill: string; owner: string }): Promise<void> {
  await startWorkflow(ctx, {
    type: 'runSkill',
    workflowId: workflowOfRun(i.runId),
    taskQueue: 'control',
    args: [{ run_id: i.runId }],
    searchAttributes: { SvcKind: 'run', SvcAgent: i.agent, SvcOwner: i.owner, SvcJob: i.jobId },
    skill: i.skill,
  });
}

/** Two requests at once are handled one after the other: the second finds the run of the first. */
async function sameKey(tx: Knex.Transaction, i: StartRunIn, inputSha256: string): Promise<StartedRun | undefined> {
  if (i.idempotencyKey === undefined) return undefined;
  await lockName(tx, `run/${i.userId}/${i.idempotencyKey}`);
  const job = await tx('jobs').where({ owner_id: i.userId, kind: 'run', idempotency_key: i.idempotencyKey }).first('job_id', 'workflow_id');
  if (!job) return undefined;
  const run = await tx('runs').where({ job_id: job.job_id }).whereRaw(`'run:' || run_id = ?`, [job.workflow_id]).first();
  if (!run) throw new NotFound('run_not_found', 'The run of this idempotency key is not kept any more: use a new key');
  if (run.agent_name !== i.agent || run.skill !== i.skill || run.input_sha256 !== inputSha256)
    throw new Conflict('idempotency_key_reused', 'This idempotency key began a run with another agent, skill or arguments: use a new key for each run');
  return { run_id: run.run_id, job_id: job.job_id, existing: true };
}

async function checkGrant(ctx: TxCtx, i: StartRunIn): Promise<void> {
  if (i.grantId === undefined) return;
  const whose = i.grantShown ? {} : { owner_id: i.userId };
  const grant = await ctx
    .db('grants')
    .where({ grant_id: i.grantId, audience: i.agent, ...whose })
    .first('revoked_at', 'expires_at');
  if (!grant || grant.revoked_at !== null || grant.expires_at.getTime() <= ctx.clock())
    throw new Forbidden('grant_invalid', `The grant is not one for ${i.agent}, was revoked, or has expired: ask for a new one`);
}

/** The user as caller; how they authenticated is not known here. */
function callerOf(userId: string): UserActor {
  return { kind: 'user', user_id: userId, email: '', operator: false, via: 'bearer' };
}

function optional<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return value === undefined ? {} : record(key, value);
}

// Safe: one member under the name given.
function record<K extends string>(key: K, value: string): { [P in K]?: string } {
  return { [key]: value } as { [P in K]?: string };
}

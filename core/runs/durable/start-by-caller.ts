// A user, or a running skill, starts a durable run through the API.
import { requireUser } from '../../kernel/policy.ts';
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { RunOut } from '#contract/runs/runs.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { committingRefusals, policyDenied } from '../../policy/deny.ts';
import { passedGrant } from '../../workspace/grant/verify.ts';
import { askDenialOf, judgeHandoff } from '../../pauses/handoff/by-policy.ts';
import { mayCall } from '../../agents/route/may-call.ts';
import { resolveRoute } from '../../agents/route/resolve.ts';
import { Conflict, Forbidden, NotFound, type DomainError } from '../../kernel/errors.ts';
import { hashOf } from '../run/hash.ts';
import { OPEN_RUN_STATES } from '../../kernel/run-state.ts';
import { together } from '../../kernel/act.ts';
import { holdHandoff } from '../../pauses/handoff/hold.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { presentRun } from '../run/read.ts';
import { issuesAhead } from '../run/check-args.ts';
import { driveAtOnce } from './drive-at-once.ts';
import { startRun, type StartedRun, type StartRunIn } from './start.ts';

export interface StartIn {
  name: string;
  skill_name: string;
  args: Record<string, unknown>;
  key: string | undefined;
  /** A grant token the caller passes on. */
  grant: string | undefined;
}

/** A run may have this many open at a time: it starts them in the account of the user it works for. */
export const MAX_OPEN_RUNS = 100;

/** @throws Forbidden no_user; Conflict too_many_runs; and as startRun does */
export async function startCallersRun(ctx: Ctx, i: StartIn): Promise<z.infer<typeof RunOut>> {
  const grantId = i.grant === undefined ? undefined : await passedGrant(ctx, i.grant, i.name);
  const ahead = await issuesAhead(await resolveRoute(ctx, i.name), i.skill_name, i.args);
  const begin = async (inner: TxCtx): Promise<StartedRun | DomainError> => {
    // Locked: two starts by one run are counted one after the other.
    if (inner.actor.kind === 'run') await ensureRun(inner, {}, 'update');
    const refusal = await holdByRun(inner, i, grantId ?? null);
    if (refusal) return refusal;
    const started = await startRun(inner, {
      ...callerOf(ctx, i.key),
      agent: i.name,
      skill: i.skill_name,
      args: i.args,
      ahead,
      argsAt: ['body'],
      ...(grantId === undefined ? {} : { grantId, grantShown: true }),
    });
    if (inner.actor.kind === 'run' && !started.existing) await checkCount(inner.db, inner.actor.run_id);
    return started;
  };
  const { run_id } = await committingRefusals(ctx, () => together(ctx, begin));
  // A person looks at it.
  if (ctx.actor.kind === 'user' && ctx.actor.via === 'session') driveAtOnce({ ...ctx, actor: { kind: 'platform', service: 'runs' } }, run_id);
  const row = await ctx.db('runs').where({ run_id }).first();
  if (!row) throw new NotFound('run_not_found', 'The run no longer exists');
  return presentRun(ctx, row);
}

/**
 * A run that a skill starts is a handoff as much as a call that it awaits. A start that is sent again was
 * permitted the first time.
 */
async function holdByRun(ctx: TxCtx, i: StartIn, grantId: string | null): Promise<DomainError | undefined> {
  if (ctx.actor.kind !== 'run') return undefined;
  const { userId, idempotencyKey } = callerOf(ctx, i.key);
  if (idempotencyKey !== undefined && (await ctx.db('jobs').where({ owner_id: userId, kind: 'run', idempotency_key: idempotencyKey }).first('job_id')))
    return undefined;
  const route = await resolveRoute(ctx, i.name);
  const inputSha256 = hashOf(i.args);
  // Refused by startRun.
  if (!route || !mayCall(ctx.actor, route) || inputSha256 === undefined) return undefined;
  const { verdict } = await judgeHandoff(ctx, { route, skills: [i.skill_name] });
  if (verdict.outcome === 'deny') return policyDenied(verdict.denial);
  return holdHandoff(ctx, ctx.actor, {
    ...askDenialOf(verdict),
    route,
    skill: i.skill_name,
    inputSha256,
    args: () => i.args,
    grantId,
  });
}

async function checkCount(tx: Knex.Transaction, runId: string): Promise<void> {
  const open = await tx('runs')
    .where({ parent_run_id: runId })
    .whereIn('state', OPEN_RUN_STATES)
    .limit(MAX_OPEN_RUNS + 1)
    .select('run_id');
  if (open.length > MAX_OPEN_RUNS) throw new Conflict('too_many_runs', `A run may have ${MAX_OPEN_RUNS} durable runs in progress: wait for some to end`);
}

/** A key is its sender's: a run's cannot meet its user's, nor that of anything the platform starts itself. */
function callerOf({ actor }: Ctx, key: string | undefined): Pick<StartRunIn, 'userId' | 'parent' | 'idempotencyKey'> {
  // startRun looks only at the account: what the role in an organization allows is checked here.
  if (actor.kind === 'user') return { userId: requireUser({ actor }, 'agent.call').user_id, ...(key === undefined ? {} : { idempotencyKey: `api:${key}` }) };
  if (actor.kind !== 'run') throw new Forbidden('user_required', 'This needs a signed-in user, or a running skill');
  if (actor.user_id === null) throw new Forbidden('no_user', 'No user of the platform called this run, so no account could own a durable run of it');
  return { userId: actor.user_id, parent: actor, ...(key === undefined ? {} : { idempotencyKey: `run:${actor.run_id}:${key}` }) };
}

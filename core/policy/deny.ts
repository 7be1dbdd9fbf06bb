// A refusal is recorded once it is certain, in a transaction of its own: what was refused has been rolled
// back by then. It leaves a row, which the receipt of its run names, an audit row and, where its run has a
// job, an event. What a run repeats is counted.
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { appendEvent } from '../jobs/append-event.ts';
import { audit } from '../kernel/audit.ts';
import type { Ctx, TxCtx } from '../kernel/ctx.ts';
import { ensureRun } from '../kernel/ensure-run.ts';
import { DomainError, Forbidden } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { storableText } from '../kernel/storable.ts';
import { system } from '../kernel/act.ts';
import { checkPolicy, type PolicyQuestion } from './check.ts';
import type { Denial } from './model.ts';

/**
 * Rows of one run, or of an agent on one day where no run is known; what it tries beyond is counted in one
 * more.
 */
const MOST_OF_RUN = 200;
const DAY_MS = 86_400_000;
const MOST_MESSAGE = 500;
const MOST_RESOURCE = 512;
const MOST_RULE = 256;

const denials = new WeakMap<object, Denial>();

/** The refusal carries what is to be recorded of it. */
export function withDenial<E extends DomainError>(error: E, denial: Denial): E {
  denials.set(error, denial);
  return error;
}

export function policyDenied(denial: Denial): Forbidden {
  return withDenial(new Forbidden('policy_denied', denial.message, { rule: denial.rule, decision_id: denial.decision_id }), denial);
}

/** @throws Forbidden policy_denied, also where a rule asks a user and there is no user to ask */
export async function requirePolicy(ctx: Ctx, question: PolicyQuestion): Promise<void> {
  const verdict = await checkPolicy(ctx, question);
  if (verdict.outcome !== 'allow') throw policyDenied(verdict.denial);
}

/** What `work` refuses by a policy is recorded before it is thrown on. Not in a transaction. */
export async function recordingDenials<T>(ctx: Ctx, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await recordRefusal(ctx, error);
    throw error;
  }
}

/**
 * The same for work that resolves with its refusal, since the question to a person that it opened is to be
 * committed.
 */
export async function committingRefusals<T>(ctx: Ctx, work: () => Promise<T | DomainError>): Promise<T> {
  const done = await recordingDenials(ctx, work);
  if (!(done instanceof DomainError)) return done;
  await recordRefusal(ctx, done);
  throw done;
}

/**
 * Nothing where `error` is no refusal by a policy, or was recorded already. Joins the transaction that `ctx`
 * is in.
 */
export async function recordRefusal(ctx: Ctx, error: unknown, of?: OfRun): Promise<void> {
  const denial = typeof error === 'object' && error !== null ? denials.get(error) : undefined;
  if (typeof error !== 'object' || error === null || !denial) return;
  denials.delete(error);
  await recordDenial(ctx, denial, of);
}

/** Of whom it is recorded where the actor is not the run itself. */
export interface OfRun {
  /** Null: which run it was is not known. */
  run_id: string | null;
  agent_name: string;
  job_id: string | null;
  root_run_id?: string | null;
}

/** Joins the transaction that `ctx` is in. */
export async function recordDenial(ctx: Ctx, denial: Denial, of?: OfRun): Promise<void> {
  await system(ctx, async (ctx) => {
    const run = of ?? (ctx.actor.kind === 'run' ? ctx.actor : undefined);
    // With a row its receipt has the refusal, although it may only have computed.
    if (run && ctx.actor.kind === 'run' && ctx.actor.run_id === run.run_id) await ensureRun(ctx).catch(unlessEnded);
    const fresh = await insert(ctx, denial, run);
    if (!fresh) return;
    const { account_id, action, outcome, rule, resource, decision_id, policy_sha256 } = denial;
    const facts = { action, rule, resource, run_id: run?.run_id ?? null, decision_id, policy_sha256 };
    await audit(ctx, `policy.${outcome}`, { user: account_id }, facts);
    if (run?.job_id != null)
      await appendEvent(ctx.db, run.job_id, outcome === 'deny' ? 'policy.denied' : 'policy.asked', { ...facts, message: denial.message });
  });
}

/** A refusal of a run that has ended meanwhile is recorded all the same. */
function unlessEnded(error: unknown): void {
  if (!(error instanceof Forbidden)) throw error;
}

/** Whether it is the first of its kind. */
async function insert(ctx: TxCtx, denial: Denial, run: OfRun | undefined): Promise<boolean> {
  const now = new Date(ctx.clock());
  const runId = run?.run_id ?? null;
  const same = runId === null ? [run?.agent_name ?? '', now.toISOString().slice(0, 10)] : [runId];
  const resource = storableText(denial.resource).slice(0, MOST_RESOURCE);
  const key = keyOf(denial, [denial.action, denial.rule, resource, ...same]);
  const again = await ctx
    .db('policy_denials')
    .where({ denial_key: key })
    .update({ count: ctx.db.raw('count + 1'), last_at: now });
  if (again > 0) return false;
  const full = await isFull(ctx.db, denial.account_id, run, now);
  const [row] = await ctx
    .db('policy_denials')
    .insert({
      denial_id: newId('pdn', ctx.clock()),
      denial_key: full ? keyOf(denial, ['…', ...same]) : key,
      user_id: denial.account_id,
      action: denial.action,
      outcome: denial.outcome,
      rule: storableText(denial.rule).slice(0, MOST_RULE) || 'rules',
      resource: full ? '…' : resource,
      message: storableText(denial.message).slice(0, MOST_MESSAGE),
      agent_name: run?.agent_name ?? null,
      run_id: runId,
      root_run_id: run?.root_run_id ?? runId,
      job_id: run?.job_id ?? null,
      decision_id: denial.decision_id,
      policy_sha256: denial.policy_sha256,
      policy_version: denial.policy_version,
      created_at: now,
      last_at: now,
    })
    .onConflict('denial_key')
    .merge({ count: ctx.db.raw('policy_denials.count + 1'), last_at: now })
    .returning('count');
  return row?.count === 1;
}

function keyOf({ account_id, outcome }: Denial, parts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([account_id, outcome, ...parts]))
    .digest('hex');
}

async function isFull(tx: Knex, accountId: string, run: OfRun | undefined, now: Date): Promise<boolean> {
  const ofRun = run?.run_id != null;
  const same = ofRun ? { run_id: run.run_id } : { user_id: accountId, run_id: null, agent_name: run?.agent_name ?? null };
  const query = tx('policy_denials').where(same);
  if (!ofRun) void query.where('created_at', '>=', new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS));
  const [many] = await query.count<[{ count: string }]>('* as count');
  return Number(many?.count ?? 0) >= MOST_OF_RUN;
}

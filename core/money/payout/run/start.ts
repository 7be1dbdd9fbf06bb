// A run pays creators what they are owed. One at a time; the same key is one run, however often it is asked
// for.
import { act, done, system, unchanged } from '../../../kernel/act.ts';
import { audit } from '../../../kernel/audit.ts';
import type { Ctx, TxCtx } from '../../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { lockName } from '../../../kernel/lock-name.ts';
import { requireOperator } from '../../../kernel/policy.ts';
import { startWorkflow } from '../../../outbox/messages.ts';
import { paymentsOf } from '../../processor/ask.ts';

interface RunRequest {
  key: string;
  /** null: every creator */
  creator: string | null;
}

/** For operators. @throws NotFound user_not_found; Conflict payout_run_open; Unavailable payments_off */
export async function startPayouts(
  ctx: Ctx,
  i: { user_id?: string | undefined; key?: string | undefined },
): Promise<{ run_id: string; state: 'running' | 'ended' }> {
  return act(ctx, 'payout.settle', requireOperator, async (ctx, { user_id }) => {
    paymentsOf(ctx);
    const creator = i.user_id ?? null;
    if (creator !== null && !(await ctx.db('users').where({ user_id: creator }).first('user_id')))
      throw new NotFound('user_not_found', `There is no account ${creator}: list what is owed`);
    const run = await startRun(ctx, { key: i.key === undefined ? `request:${newId('req', ctx.clock())}` : `operator:${i.key}`, creator }, user_id);
    const answer = { run_id: run.run_id, state: run.state };
    return run.isNew ? done({ payout_run: run.run_id }, { user_id: creator }, answer) : unchanged(answer);
  });
}

/** The nightly run: one for each day (UTC). */
export async function settleNightly(ctx: Ctx): Promise<void> {
  if (!ctx.drivers.payments) return;
  const key = `night:${new Date(ctx.clock()).toISOString().slice(0, 10)}`;
  await system(ctx, async (ctx) => {
    const isOpen = await ctx.db('payout_runs').where({ state: 'running' }).first('run_id');
    if (isOpen) return;
    const run = await startRun(ctx, { key, creator: null }, null);
    if (run.isNew) await audit(ctx, 'payout.night', { payout_run: run.run_id });
  });
}

async function startRun(ctx: TxCtx, { key, creator }: RunRequest, requested_by: string | null) {
  await lockName(ctx.db, 'payout run');
  const known = await ctx.db('payout_runs').where({ key }).first('run_id', 'state', 'creator_id');
  if (known && known.creator_id !== creator) throw new Conflict('payout_key_reused', 'This key was used for another run: use a new one');
  if (known) return { run_id: known.run_id, state: known.state, isNew: false };
  const open = await ctx.db('payout_runs').where({ state: 'running' }).first('run_id');
  if (open) throw new Conflict('payout_run_open', `The run ${open.run_id} is under way: wait for its end`);
  const run_id = newId('por', ctx.clock());
  await ctx.db('payout_runs').insert({ run_id, key, state: 'running', creator_id: creator, requested_by, created_at: new Date(ctx.clock()) });
  const searchAttributes = { SvcKind: 'payout', SvcOwner: 'platform' };
  await startWorkflow(ctx, { type: 'settlePayouts', workflowId: `payout:${run_id}`, taskQueue: 'control', args: [{ run_id }], searchAttributes });
  return { run_id, state: 'running' as const, isNew: true };
}

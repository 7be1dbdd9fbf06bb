// Puts what is due into a run: creator by creator, all lines of one in one statement. From then on these
// lines are of that run and of no other.
import type { Knex } from 'knex';
import { system } from '../../../kernel/act.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { newId } from '../../../kernel/ids.ts';
import { setting } from '../../../kernel/settings.ts';
import { CENT } from '../states.ts';

const CREATORS = 50;

/** False: no creator is due any more. */
export async function takeDue(ctx: Ctx, runId: string, onCreator: () => void = () => undefined): Promise<boolean> {
  const run = await ctx.db('payout_runs').where({ run_id: runId, state: 'running' }).first('creator_id');
  if (!run) return false;
  // Who is named is paid whatever there is; a cent is the least that can be sent.
  const least = run.creator_id === null ? Math.max(CENT, (await setting(ctx.db, 'payout_minimum_cents')) * CENT) : CENT;
  const due = await dueCreators(ctx.db, runId, run.creator_id, least);
  for (const creator of due) {
    await takeCreator(ctx, { runId, creator, least });
    onCreator();
  }
  return due.length > 0;
}

async function dueCreators(db: Knex, run: string, creator: string | null, least: number): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { creator_id: string }[] }>(
    `select l.creator_id from payout_lines l join payout_accounts a on a.user_id = l.creator_id and a.payouts_enabled and a.processor_id is not null
     where l.state in ('owed', 'failed') and (:creator::text is null or l.creator_id = :creator)
       and not exists (select 1 from payout_transfers t where t.run_id = :run and t.creator_id = l.creator_id)
     group by 1 having sum(l.amount_micros) >= :least order by 1 limit ${CREATORS}`,
    { run, creator, least },
  );
  return rows.map(({ creator_id }) => creator_id);
}

async function takeCreator(ctx: Ctx, { runId, creator, least }: { runId: string; creator: string; least: number }): Promise<void> {
  const transfer_id = newId('pot', ctx.clock());
  // The audit log has the run, and each transfer that ends.
  await system(ctx, async (ctx) => {
    // Its row first: two workers cannot take the same creator into one run.
    const account = await ctx.db('payout_accounts').where({ user_id: creator, payouts_enabled: true }).forUpdate().first('processor_id');
    if (!account?.processor_id || (await ctx.db('payout_transfers').where({ run_id: runId, creator_id: creator }).first('transfer_id'))) return;
    const { rows } = await ctx.db.raw<{ rows: [{ lines: number; micros: number }] }>(
      `with moved as (
         update payout_lines set state = 'in_run', transfer_id = :transfer_id where creator_id = :creator and state in ('owed', 'failed') returning amount_micros
       ) select count(*)::bigint as lines, coalesce(sum(amount_micros), 0)::bigint as micros from moved`,
      { transfer_id, creator },
    );
    const [{ lines, micros }] = rows;
    if (micros < least) throw new ShrunkMeanwhile();
    await ctx.db('payout_transfers').insert({
      transfer_id,
      run_id: runId,
      creator_id: creator,
      destination: account.processor_id,
      state: 'pending',
      lines,
      lines_micros: micros,
      amount_micros: micros - (micros % CENT),
      created_at: new Date(ctx.clock()),
    });
  }).catch((error: unknown) => {
    if (!(error instanceof ShrunkMeanwhile)) throw error;
  });
}

/** Money was taken back since it was asked who is due: the lines stay as they were. */
class ShrunkMeanwhile extends Error {}

// Rows as their machines are now; boxes of deleted agents go with their files, and so does what no row knows.
import type { Ctx } from '../../kernel/ctx.ts';

/** Made a moment ago, it may not have its row's commit yet. */
const YOUNG_MS = 120_000;

/** An open tunnel marks its row every minute. A database that is away for long ends none. */
const UNUSED_MS = 3_600_000;

/** Resolves with how many boxes were removed. */
export async function sweepDevBoxes(ctx: Ctx): Promise<number> {
  const { boxes } = ctx.drivers;
  // A tunnel lives on with its row, a day at most.
  await ctx
    .db('dev_box_sessions')
    .where('expires_at', '<', new Date(ctx.clock()))
    .where((unused) => unused.whereNull('last_used_at').orWhere('last_used_at', '<', new Date(ctx.clock() - UNUSED_MS)))
    .delete();
  if (!boxes) return 0;
  const there = new Map((await boxes.list()).map((status) => [status.box_id, status]));
  const gone = await ctx
    .db('dev_boxes as b')
    .join('agents as a', 'a.agent_id', 'b.agent_id')
    .where((either) => either.whereNotNull('a.deleted_at').orWhereRaw('a.owner_id <> b.owner_id'))
    .limit(100)
    .select('b.box_id');
  for (const { box_id } of gone) {
    await boxes.remove(box_id);
    await ctx.db('dev_boxes').where({ box_id }).delete();
  }
  const known = new Map((await ctx.db('dev_boxes').select('box_id', 'state')).map((row) => [row.box_id, row.state]));
  for (const [box_id, state] of known) {
    const now = there.get(box_id)?.state ?? 'stopped';
    if (now !== state) await ctx.db('dev_boxes').where({ box_id }).update({ state: now });
  }
  const unknown = [...there.values()].filter((status) => !known.has(status.box_id) && status.last_used_at < ctx.clock() - YOUNG_MS);
  for (const { box_id } of unknown) await boxes.remove(box_id);
  return gone.length + unknown.length;
}

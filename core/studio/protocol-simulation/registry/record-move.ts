import type { ProtocolState } from '#contract/states.ts';
import type { ProtocolEntriesRow } from '#db/tables.ts';
import type { TxCtx } from '../../../kernel/ctx.ts';
import { storableText } from '../../../kernel/storable.ts';

/** False: it is no longer where it was. */
export async function recordMove(
  ctx: TxCtx,
  { entry_id, state }: Pick<ProtocolEntriesRow, 'entry_id' | 'state'>,
  { to, by, note }: { to: ProtocolState; by: string | null; note: string },
): Promise<boolean> {
  const at = new Date(ctx.clock());
  const moved = await ctx.db('protocol_entries').where({ entry_id, state }).update({ state: to, updated_at: at });
  if (moved === 0) return false;
  const last = await ctx.db('protocol_moves').where({ entry_id }).max<{ max: number | null }[]>('seq as max');
  const seq = (last[0]?.max ?? 0) + 1;
  await ctx.db('protocol_moves').insert({ entry_id, seq, from_state: state, to_state: to, moved_by: by, note: storableText(note), at });
  return true;
}

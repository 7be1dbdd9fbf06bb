// Whether a call waits for a person, and what is asked, as the platform knows it: an agent that says so of
// itself would hold its caller's time for as long as it likes, and show its caller's person what nobody keeps
// an answer to.
import { type CalledWait, MAX_CALLED_WAITS } from '#contract/wire/events.ts';
import type { WaitsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireRun } from '../../kernel/ensure-run.ts';
import { waitsBelow } from '../../pauses/wait/call-chain.ts';
import { isOfCaller } from '../../pauses/wait/recipients.ts';

/** Of another run's call, or of none, as of one that does not wait. The oldest waits come first. */
export async function callWaits(ctx: Ctx, i: { run_id: string }): Promise<{ waits: boolean; open: CalledWait[] }> {
  const { run_id: parent_run_id, user_id } = requireRun(ctx);
  const call = await ctx.db('runs').where({ run_id: i.run_id, parent_run_id, kind: 'call', state: 'waiting' }).first('run_id');
  const below = call === undefined ? [] : await waitsBelow(ctx.db, call.run_id);
  // A call that waits for approval is shown by the platform itself, as one of the run's own would be.
  const ofCaller = below.filter((row) => row.kind !== 'handoff_approval' && isOfCaller(row, user_id));
  return { waits: below.length > 0, open: ofCaller.slice(0, MAX_CALLED_WAITS).map(present) };
}

function present(row: WaitsRow): CalledWait {
  return { wait_id: row.wait_id, agent: row.agent_name ?? '', skill: row.skill ?? '', prompt: row.prompt, expires_at: row.expires_at.toISOString() };
}

// A protocol moves by a guarded update, with who moved it and why.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { ProtocolMoveIn } from '#contract/studio/protocol-registry.ts';
import type { ProtocolEntryOut } from '#contract/studio/protocol-simulations.ts';
import type { ProtocolState } from '#contract/states.ts';
import type { ProtocolEntriesRow } from '#db/tables.ts';
import { agentNamed } from '../../../agents/agent/find.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { Conflict } from '../../../kernel/errors.ts';
import { setting } from '../../../kernel/settings.ts';
import { act, done } from '../../../kernel/act.ts';
import { criticalFindings } from '../findings.ts';
import { type EntryKey, entryRow, getEntry } from './list.ts';
import { nextStates } from './moves.ts';
import { recordMove } from './record-move.ts';
import { passedSimulation } from './simulated.ts';

/** @throws NotFound protocol_not_found; Conflict protocol_move_refused, with what is missing */
export async function moveEntry(ctx: Ctx, i: EntryKey & z.infer<typeof ProtocolMoveIn>): Promise<ProtocolEntryOut> {
  await act(ctx, 'protocol.move', agentNamed(i.name), async (ctx, { agent_id, owner_id, live_deploy_id }) => {
    // The agent's row first, as everywhere.
    await ctx.db('agents').where({ agent_id }).forUpdate().first('agent_id');
    const row = await entryRow(ctx.db, agent_id, i);
    const next = nextStates(row.state, 'owner');
    if (!next.includes(i.to)) {
      const may = next.length === 0 ? 'It stays where it is' : `From there it goes to ${next.join(' or ')}`;
      throw refused(`${i.protocol_id} ${i.version} is ${row.state} and does not go to ${i.to}. ${may}`);
    }
    await requireFor(ctx.db, i.to, row, live_deploy_id);
    if (!(await recordMove(ctx, row, { to: i.to, by: owner_id, note: i.note })))
      throw refused(`${i.protocol_id} ${i.version} was moved at this moment: look again`);
    return done({ protocol: row.entry_id }, { protocol_id: i.protocol_id, version: i.version, from: row.state, to: i.to });
  });
  return getEntry(ctx, i);
}

async function requireFor(tx: Knex.Transaction, to: ProtocolState, row: ProtocolEntriesRow, liveDeployId: string | null): Promise<void> {
  if (to === 'sandbox_simulated' && !(await passedSimulation(tx, row, undefined)))
    throw refused('No rehearsal of this protocol has passed yet: rehearse it, then move it');
  if (to !== 'enabled_private' && to !== 'enabled_public') return;
  if (!(await passedSimulation(tx, row, liveDeployId ?? '')))
    throw refused('The live version has not passed a rehearsal of this protocol: rehearse it, then enable it');
  const findings = await criticalFindings(tx, row.agent_id, liveDeployId);
  if (findings.open.length > 0 || findings.review !== undefined)
    throw refused('A critical finding of the agent is unanswered: answer it, then enable the protocol');
  if (to === 'enabled_public' && (await setting(tx, 'protocols_enabled')) === 0)
    throw refused('The operators of this installation have not enabled protocols (setting protocols_enabled): ask them');
}

function refused(message: string): Conflict {
  return new Conflict('protocol_move_refused', message);
}

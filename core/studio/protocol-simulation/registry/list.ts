import type { Knex } from 'knex';
import type { ProtocolEntryOut } from '#contract/studio/protocol-simulations.ts';
import type { ProtocolState } from '#contract/states.ts';
import type { ProtocolSuite } from '#contract/studio/protocol-steps.ts';
import type { ProtocolEntriesRow, ProtocolMovesRow } from '#db/tables.ts';
import { agentFor } from '../../../agents/agent/find.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { NotFound } from '../../../kernel/errors.ts';
import { decodeCursor, type Page, toPage } from '../../../kernel/page.ts';
import { suiteOf } from '../find.ts';
import { nextStates } from './moves.ts';

/** Newest first. */
export async function listEntries(ctx: Ctx, i: { name: string; limit: number; cursor?: string | undefined }): Promise<Page<ProtocolEntryOut>> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'protocol.read', i.name);
  const query = ctx
    .db('protocol_entries')
    .where({ agent_id })
    .orderBy('entry_id', 'desc')
    .limit(i.limit + 1);
  // Ids are in the order of time.
  if (i.cursor !== undefined) void query.where('entry_id', '<', decodeCursor(i.cursor, ['string'])[0]);
  const page = toPage(
    await query,
    i.limit,
    (row) => row,
    (row) => [row.entry_id],
  );
  const moves = await movesOf(
    ctx.db,
    page.items.map(({ entry_id }) => entry_id),
  );
  return { ...page, items: page.items.map((row) => presentEntry(i.name, row, moves)) };
}

export interface EntryKey {
  name: string;
  protocol_id: string;
  version: string;
}

/** @throws NotFound agent_not_found, protocol_not_found */
export async function getEntry(ctx: Ctx, i: EntryKey): Promise<ProtocolEntryOut> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'protocol.read', i.name);
  const row = await entryRow(ctx.db, agent_id, i);
  return presentEntry(i.name, row, await movesOf(ctx.db, [row.entry_id]));
}

/** With its steps, for who reviews it. @throws as getEntry */
export async function readEntry(ctx: Ctx, i: EntryKey): Promise<{ entry: ProtocolEntryOut; suite: ProtocolSuite }> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'protocol.read', i.name);
  const row = await entryRow(ctx.db, agent_id, i);
  return { entry: presentEntry(i.name, row, await movesOf(ctx.db, [row.entry_id])), suite: suiteOf(row) };
}

export async function entryRow(db: Knex, agentId: string, { name, protocol_id, version }: EntryKey): Promise<ProtocolEntriesRow> {
  const row = await db('protocol_entries').where({ agent_id: agentId, protocol_id, version }).first();
  if (!row) throw new NotFound('protocol_not_found', `${name} has no protocol ${protocol_id} ${version}: see its registry`);
  return row;
}

function movesOf(db: Knex, ids: readonly string[]): Promise<ProtocolMovesRow[]> {
  return db('protocol_moves')
    .whereIn('entry_id', [...ids])
    .orderBy(['entry_id', 'seq']);
}

function presentEntry(agent: string, row: ProtocolEntriesRow, moves: readonly ProtocolMovesRow[]): ProtocolEntryOut {
  return {
    agent,
    protocol_id: row.protocol_id,
    version: row.version,
    display_name: row.display_name,
    risk_class: row.risk_class,
    state: row.state,
    digest: row.digest,
    signature: { kid: row.kid, value: row.signature },
    scenarios: suiteOf(row).scenarios.map(({ scenario }) => scenario),
    history: moves
      .filter(({ entry_id }) => entry_id === row.entry_id)
      .map(({ from_state, to_state, moved_by, note, at }) => ({
        from: from_state === null ? null : stateOf(from_state),
        to: stateOf(to_state),
        by: moved_by === null ? ('platform' as const) : ('owner' as const),
        note,
        at: at.toISOString(),
      })),
    next: nextStates(row.state, 'owner'),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

// Safe: moveEntry and insertEntry write only states.
function stateOf(word: string): ProtocolState {
  return word as ProtocolState;
}

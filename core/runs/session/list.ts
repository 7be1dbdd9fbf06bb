import type { Knex } from 'knex';
import type { z } from 'zod';
import type { ListedSessionOut } from '#contract/runs/agent-sessions.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { receiptIdOf, sessionIdOf } from '../../evidence/receipt/session-id.ts';
import { agentByName } from '../../evidence/receipt/find.ts';
import { instantOf, microseconds } from '../../kernel/keyset.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { sessions, type SessionView } from './find.ts';
import { callsVisibleTo, type CallRow, presentCall } from './of-call.ts';
import { presentSession } from './present.ts';

interface Listed {
  at: number;
  id: string;
  shown: z.infer<typeof ListedSessionOut>;
}

interface Place {
  at: number;
  id: string;
}

/**
 * Sessions of the caller, and calls of an agent of theirs, newest first. A caller who had a session with an
 * agent may list it, even where they no longer see the agent.
 */
export async function listSessions(ctx: Ctx, i: { name: string; limit: number; cursor?: string | undefined }): Promise<Page<z.infer<typeof ListedSessionOut>>> {
  const { user_id } = requireUser(ctx, 'session.read');
  const agent = await agentByName(ctx.db, i.name);
  const [at, id] = i.cursor === undefined ? [undefined, undefined] : decodeCursor(i.cursor, ['number', 'string']);
  const place = at === undefined || id === undefined ? undefined : { at, id };
  const from = { userId: user_id, agentId: agent?.agent_id ?? '', owns: agent?.owner_id === user_id, most: i.limit + 1 };
  const entries = await newest(ctx.db, from, place);
  const known = entries.length > 0 || (place !== undefined && (await newest(ctx.db, { ...from, most: 1 }, undefined)).length > 0);
  if (!agent || (!agent.listed && agent.owner_id !== user_id && !known)) {
    throw new NotFound('agent_not_found', `There is no agent ${i.name} that you can see`);
  }
  return toPage(
    entries,
    i.limit,
    ({ shown }) => shown,
    (row) => [row.at, row.id],
  );
}

interface From {
  userId: string;
  agentId: string;
  owns: boolean;
  most: number;
}

/** Sorted by the start of a session and by the receipt of a call, as the indexes are. */
async function newest(db: Knex, { userId, agentId, owns, most }: From, place: Place | undefined): Promise<Listed[]> {
  const own = sessions(db)
    .where('s.user_id', userId)
    .where('s.agent_id', agentId)
    .select<(SessionView & { cursor_at: number })[]>(db.raw(`${microseconds('s.started_at')} as cursor_at`))
    .orderByRaw('s.started_at desc, s.session_id desc')
    .limit(most);
  const called = callsVisibleTo(db, userId, owns)
    .where('r.agent_id', agentId)
    .select<(CallRow & { cursor_at: number })[]>(db.raw(`${microseconds('r.created_at')} as cursor_at`))
    .orderByRaw('r.created_at desc, r.receipt_id desc')
    .limit(most);
  if (place) {
    void own.whereRaw(`(s.started_at, s.session_id) < (${instantOf('at')}, :id)`, { ...place });
    void called.whereRaw(`(r.created_at, r.receipt_id) < (${instantOf('at')}, :id)`, { at: place.at, id: receiptIdOf(place.id) });
  }
  const rows: Listed[] = [
    ...(await own).map((row) => ({ at: row.cursor_at, id: row.session_id, shown: presentSession(row) })),
    ...(await called).map((row) => ({ at: row.cursor_at, id: sessionIdOf(row.receipt_id), shown: presentCall(row) })),
  ];
  return rows.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)).slice(0, most);
}

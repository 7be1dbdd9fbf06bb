import type { z } from 'zod';
import type { SessionOut } from '../../../contract/runs/agent-sessions.ts';
import { requireUser } from '../../actors.ts';
import type { Ctx } from '../../ctx.ts';
import { NotFound } from '../../errors.ts';
import { agentByName } from '../../evidence/receipt/find.ts';
import { instantOf, microseconds } from '../../keyset.ts';
import { decodeCursor, type Page, toPage } from '../../page.ts';
import { sessions, type SessionView } from './find.ts';
import { presentSession } from './present.ts';

/** The caller's, newest first. An agent that they may not see exists for those who had a session with it. */
export async function listSessions(ctx: Ctx, i: { name: string; limit: number; cursor?: string | undefined }): Promise<Page<z.infer<typeof SessionOut>>> {
  const { user_id } = requireUser(ctx);
  const agent = await agentByName(ctx.db, i.name);
  const mine = { 's.user_id': user_id, 's.agent_id': agent?.agent_id ?? '' };
  const query = sessions(ctx.db)
    .where(mine)
    .select<(SessionView & { cursor_at: number })[]>(ctx.db.raw(`${microseconds('s.started_at')} as cursor_at`))
    .orderBy([
      { column: 's.started_at', order: 'desc' },
      { column: 's.session_id', order: 'desc' },
    ])
    .limit(i.limit + 1);
  if (i.cursor !== undefined) {
    const [at, sessionId] = decodeCursor(i.cursor, ['number', 'string']);
    void query.whereRaw(`(s.started_at, s.session_id) < (${instantOf('at')}, :sessionId)`, { at, sessionId });
  }
  const rows = await query;
  if (!agent || (!agent.listed && agent.owner_id !== user_id && rows.length === 0 && !(await sessions(ctx.db).where(mine).first()))) {
    throw new NotFound('agent_not_found', `There is no agent ${i.name} that you can see`);
  }
  return toPage(rows, i.limit, presentSession, (row) => [row.cursor_at, row.session_id]);
}

// What happened to a database: written with what happened, read page by page.
import type { Knex } from 'knex';
import type { DatabaseEventOut } from '#contract/agents/database-parts.ts';
import type { DatabaseEventKind } from '#contract/states.ts';
import type { DatabaseEventsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { newestPage } from '../../kernel/keyset.ts';
import type { Page } from '../../kernel/page.ts';
import { projectFor } from './find.ts';

/** `detail`: access of a role, allowance, or the code of an error. Never a login or a password. */
export interface DatabaseEvent {
  kind: DatabaseEventKind;
  branch?: string;
  agent?: string;
  detail?: string;
}

export async function noteDatabase(tx: Knex.Transaction, now: number, projectId: string, event: DatabaseEvent): Promise<void> {
  await tx('database_events').insert({ event_id: newId('dbe', now), project_id: projectId, at: new Date(now), ...event });
}

/** Newest first. */
export async function listDatabaseEvents(ctx: Ctx, i: { project_id: string; limit: number; cursor?: string | undefined }): Promise<Page<DatabaseEventOut>> {
  const { project_id } = await projectFor(ctx.db, ctx.actor, 'database.read', i.project_id);
  const query = ctx.db('database_events').where({ project_id }).select<DatabaseEventsRow[]>('*');
  const present = ({ event_id, kind, branch, agent, detail, at }: DatabaseEventsRow): DatabaseEventOut => ({
    event_id,
    kind,
    branch,
    agent,
    detail,
    at: at.toISOString(),
  });
  return newestPage(query, ['at', 'event_id'], i, present);
}

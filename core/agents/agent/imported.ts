// Agents whose code runs elsewhere: the row of one, and where its instance is noted.
import type { Knex } from 'knex';
import { RemoteCard } from '#drivers/remote-agent/port.ts';
import type { AgentImportsRow } from '#db/tables.ts';
import { Conflict } from '../../kernel/errors.ts';

/** In place of a host's name: no host has it, so none takes these instances for its own. */
export const IMPORT_NODE = '@import';

export function remoteOf({ remote }: Pick<AgentImportsRow, 'remote'>): RemoteCard {
  return RemoteCard.parse(remote);
}

/** @throws Conflict agent_not_imported */
export async function requireImport(db: Knex, { agent_id, name }: { agent_id: string; name: string }): Promise<AgentImportsRow> {
  const row = await db('agent_imports').where({ agent_id }).first();
  if (!row) throw new Conflict('agent_not_imported', `${name} is not imported: what it needs is stored with svc secrets set`);
  return row;
}

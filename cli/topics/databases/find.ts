import type { Api } from '../../lib/api.ts';
import { CliError } from '../../lib/errors.ts';

/** Commands take the name or the id of a database. @throws CliError where none has the name */
export async function projectId(client: Api, named: string): Promise<string> {
  if (named.startsWith('dbp_')) return named;
  let cursor: string | undefined;
  do {
    const page = await client.databases.list({ query: { limit: 200, ...(cursor !== undefined && { cursor }) } });
    const database = page.items.find(({ name }) => name === named);
    if (database) return database.project_id;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  throw new CliError(`You have no database ${named}: see "svc databases list", or create it with "svc databases create ${named}".`);
}

export function mib(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

// The database of an installation, from outside.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { knownPort } from '#stack/ports.ts';
import { places } from '#stack/settings.ts';

export function databaseUrl(stateDir: string): string {
  const where = places(stateDir);
  const password = readFileSync(where.postgresPassword, 'utf8').trim();
  return `postgres://svc:${password}@127.0.0.1:${knownPort(where.ports, 'postgres') ?? 0}/svc`;
}

export async function withDatabase<T>(stateDir: string, work: (db: pg.Client) => Promise<T>): Promise<T> {
  const db = new pg.Client({ connectionString: databaseUrl(stateDir) });
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}

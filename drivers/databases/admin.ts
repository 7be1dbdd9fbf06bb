// Connections of the provisioner, one for each piece of work.
import pg from 'pg';

export interface Admin {
  /** Who the provisioner is on the server. */
  user: string;
  superuser: boolean;
  run(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** All of it or nothing. */
  together(statements: readonly string[]): Promise<void>;
}

/**
 * In a database of an account nothing is found by its bare name but what PostgreSQL brings: an account's own
 * function never runs as the provisioner.
 */
const SAFE =
  '-c search_path=pg_catalog -c lock_timeout=30s -c statement_timeout=10min -c idle_in_transaction_session_timeout=1min -c client_min_messages=warning';

/** `database`: another than the URL names. */
export async function asAdmin<T>(url: string, database: string | undefined, work: (admin: Admin) => Promise<T>): Promise<T> {
  const at = new URL(url);
  if (database !== undefined) at.pathname = `/${database}`;
  const client = new pg.Client({
    connectionString: at.href,
    options: SAFE,
    connectionTimeoutMillis: 10_000,
    application_name: 'svc-databases',
    keepAlive: true,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string; superuser: boolean }>(
      'select rolname as name, rolsuper as superuser from pg_roles where rolname = current_user',
    );
    const [me] = rows;
    if (!me) throw new Error('the server does not know the provisioner');
    const run = async (sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
      (await client.query<Record<string, unknown>>(sql, values)).rows;
    const together = async (statements: readonly string[]): Promise<void> => {
      await client.query('begin');
      try {
        for (const statement of statements) await client.query(statement);
        await client.query('commit');
      } catch (error) {
        await client.query('rollback').catch(() => undefined);
        throw error;
      }
    };
    return await work({ user: me.name, superuser: me.superuser, run, together });
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** SQLSTATE of what PostgreSQL answered. */
export function stateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** Runs it again where another session changed the same row of the catalog at this moment. */
export async function persistently<T>(work: () => Promise<T>, attempts = 5): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const passing = ['XX000', '55006', '55P03', '40001', '40P01'].includes(stateOf(error) ?? '');
      if (!passing || attempt >= attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200 * attempt));
    }
  }
}

// Whether the database can be reached at all, before anything is asked of it.
import pg from 'pg';
import type { Finding } from '#contract/platform/doctor.ts';
import { reasonOf, reporter } from '#core/platform/doctor/finding.ts';
import { errorCode } from '../files.ts';

const { problem } = reporter('database');
const PATIENCE_MS = 8_000;

/** Empty: it answers. */
export async function lookAtConnection(url: string, ours: boolean): Promise<Finding[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PATIENCE_MS, application_name: 'svc-doctor' });
  // Ends with the connection; unheard, it would end this process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return [];
  } catch (error) {
    return [problem(`PostgreSQL at ${placeOf(url)} cannot be used: ${reasonOf(error)}.`, remedyOf(errorCode(error) ?? '', ours))];
  } finally {
    await client.end().catch(() => undefined);
  }
}

function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

function remedyOf(code: string, ours: boolean): string {
  if (ours && code.startsWith('E')) return 'Start it: npm run up. Why it ended: npm run logs postgres.';
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'Correct the host name in DATABASE_URL, or add it to the DNS.';
    case 'ECONNREFUSED':
      return 'Start that server, or correct host and port in DATABASE_URL. It has to listen on this network (listen_addresses).';
    case '28P01':
      return 'Correct the password in DATABASE_URL.';
    case '28000':
      return 'Let pg_hba.conf of that server admit this user from this machine, or add sslmode=require to DATABASE_URL.';
    case '3D000':
      return 'Make the database (createdb), or correct its name in DATABASE_URL.';
    case '53300':
      return 'Raise max_connections, or end programs that keep connections open.';
    case '57P03':
      return 'It is starting or stopping: look again in a minute.';
    default:
      return 'Correct DATABASE_URL, and see that a firewall lets this machine through.';
  }
}

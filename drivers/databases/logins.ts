// Logins: what each acts as, and what holds it within bounds.
import type { DatabaseAccess, DatabaseAllowance } from '#contract/states.ts';
import { type Admin, stateOf } from './admin.ts';
import { foreignName, groupsOf, name } from './names.ts';
import type { Login } from './port.ts';
import { scramVerifier } from './scram.ts';

/**
 * A login may change these for itself, so they serve those who mean well; endLong and the limits of
 * connections hold whatever it sets.
 */
const OWN_LIMITS: Readonly<Record<string, string>> = {
  statement_timeout: '60s',
  idle_in_transaction_session_timeout: '60s',
  lock_timeout: '10s',
};
/** Only a superuser sets this, and then only a superuser changes it. */
const TEMP_FILES = '256MB';

/**
 * The role as which everything is done: what is made belongs to it, not to the login, which goes with the
 * next rotation.
 */
function groupFor(project: string, access: DatabaseAccess, allowance: DatabaseAllowance): string {
  const groups = groupsOf(project);
  if (access === 'read_only') return groups.readOnly;
  if (allowance !== 'full') return groups.deleteOnly;
  return access === 'owner' ? groups.owner : groups.readWrite;
}

export async function makeLogin(admin: Admin, login: Login & { password: string; allowance: DatabaseAllowance }, connections: number): Promise<void> {
  const who = name(login.name);
  const verifier = await scramVerifier(login.password);
  const attributes = `login nosuperuser nocreatedb nocreaterole noreplication nobypassrls connection limit ${connections} password '${verifier}'`;
  try {
    await admin.run(`create role ${who} ${attributes}`);
  } catch (error) {
    if (!['42710', '23505'].includes(stateOf(error) ?? '')) throw error;
    await admin.run(`alter role ${who} login connection limit ${connections} password '${verifier}'`);
  }
  // A role that is no superuser can end only the sessions of its members.
  if (!admin.superuser) await admin.run(`grant ${who} to ${foreignName(admin.user)}`);
  const settings = Object.entries(OWN_LIMITS).map(([setting, value]) => `alter role ${who} set ${setting} = '${value}'`);
  if (admin.superuser) settings.push(`alter role ${who} set temp_file_limit = '${TEMP_FILES}'`);
  await admin.together([...settings, `grant connect on database ${name(login.database)} to ${who}`, ...actingAs(login, login.allowance)]);
}

/** Statements by which the login acts as one group and as no other. */
export function actingAs(login: Login, allowance: DatabaseAllowance): string[] {
  const who = name(login.name);
  const group = groupFor(login.project, login.access, allowance);
  const others = Object.values(groupsOf(login.project)).filter((one) => one !== group);
  return [`revoke ${others.join(', ')} from ${who}`, `grant ${group} to ${who}`, `alter role ${who} in database ${name(login.database)} set role = ${group}`];
}

/**
 * In each database of the project: what the login made goes to the project, and nothing names it any more.
 */
export async function handOver(admin: Admin, project: string, login: string): Promise<void> {
  const { owner, readWrite, readOnly, deleteOnly } = groupsOf(project);
  const schemas = await admin.run(
    `select quote_ident(nspname) as schema from pg_namespace n join pg_roles r on r.oid = n.nspowner
     where nspname !~ '^pg_' and nspname <> 'information_schema'`,
  );
  const grants = schemas.flatMap(({ schema }) => [
    `grant usage on schema ${String(schema)} to ${readWrite}, ${readOnly}, ${deleteOnly}`,
    `grant select on all tables in schema ${String(schema)} to ${readOnly}`,
    `grant select, insert, update, delete on all tables in schema ${String(schema)} to ${readWrite}`,
    `grant select, delete, truncate on all tables in schema ${String(schema)} to ${deleteOnly}`,
    `grant usage, select, update on all sequences in schema ${String(schema)} to ${readWrite}`,
  ]);
  await admin.together([`reassign owned by ${name(login)} to ${owner}`, `drop owned by ${name(login)}`, ...grants]);
}

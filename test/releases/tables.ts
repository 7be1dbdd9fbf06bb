// The rows of a database as text, exactly: every value is written as PostgreSQL prints it and read by
// PostgreSQL again. No program of PostgreSQL's own is needed for it, and one snapshot holds for all tables.
import type pg from 'pg';

/** Of a table: the names of its columns, then its rows; null is null. */
export type Dump = readonly [columns: readonly string[], ...rows: (readonly (string | null)[])[]];

interface Column {
  table: string;
  name: string;
  type: string;
}

/**
 * Of everything that migrations made; what knex keeps of itself is made by them. `generated`: PostgreSQL
 * computes it.
 */
async function columnsOf(db: pg.ClientBase): Promise<Column[]> {
  const { rows } = await db.query<Column>(
    `select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname not like 'knex_%'
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     order by c.relname, a.attnum`,
  );
  return rows;
}

/** What the schema is, in one text: equal for databases in which the same rows mean the same. */
export async function schemaOf(db: pg.ClientBase): Promise<string> {
  return (await columnsOf(db)).map(({ table, name, type }) => `${table}.${name} ${type}`).join('\n');
}

export async function readTables(db: pg.ClientBase): Promise<Map<string, Dump>> {
  await db.query('begin isolation level repeatable read read only');
  try {
    const dumps = new Map<string, Dump>();
    for (const [table, columns] of Map.groupBy(await columnsOf(db), (column) => column.table)) {
      const text = columns.map(({ name }) => `"${name}"::text`).join(', ');
      const { rows } = await db.query<(string | null)[]>({ text: `select ${text} from "${table}" order by 1`, rowMode: 'array' });
      dumps.set(table, [columns.map(({ name }) => name), ...rows]);
    }
    return dumps;
  } finally {
    await db.query('rollback');
  }
}

const SEALED = new Set(['receipts', 'receipt_keys', 'organization_audit', 'audit_log', 'agent_proofs']);

/**
 * In place of all rows. Times are moved by `laterMs`, as if the installation had been made then: what lasts
 * for days would be over otherwise. What is signed or chained keeps its times.
 */
export async function writeTables(db: pg.ClientBase, dumps: ReadonlyMap<string, Dump>, laterMs = 0): Promise<void> {
  const columns = await columnsOf(db);
  const types = new Map(columns.map(({ table, name, type }) => [`${table}.${name}`, type]));
  const tables = [...new Set(columns.map(({ table }) => `"${table}"`))];
  await db.query('begin');
  try {
    // Rows refer to each other in circles, and triggers have done their work already.
    await db.query('set local session_replication_role = replica');
    await db.query(`truncate ${tables.join(', ')}`);
    for (const [table, dump] of dumps) await writeTable(db, table, dump, types, SEALED.has(table) ? 0 : laterMs);
    await moveSequences(db);
    await db.query('commit');
  } catch (error) {
    await db.query('rollback');
    throw error;
  }
}

async function writeTable(db: pg.ClientBase, table: string, [names, ...rows]: Dump, types: ReadonlyMap<string, string>, laterMs: number): Promise<void> {
  const cast = (name: string, n: number): string => {
    const type = types.get(`${table}.${name}`);
    if (type === undefined) throw new Error(`this schema has no ${table}.${name}`);
    return `u.c${n}::${type}${type === 'timestamp with time zone' ? ` + interval '${laterMs} milliseconds'` : ''}`;
  };
  const list = (each: (name: string, n: number) => string): string => names.map(each).join(', ');
  await db.query(
    `insert into "${table}" (${list((name) => `"${name}"`)}) overriding system value
     select ${list(cast)} from unnest(${list((_, n) => `$${n + 1}::text[]`)}) as u(${list((_, n) => `c${n}`)})`,
    names.map((_, n) => rows.map((row) => row[n] ?? null)),
  );
}

/** Past the numbers that rows have. */
async function moveSequences(db: pg.ClientBase): Promise<void> {
  const { rows } = await db.query<{ sequence: string; table: string; name: string }>(
    `select s.oid::regclass::text as sequence, d.refobjid::regclass::text as table, a.attname as name
     from pg_class s join pg_depend d on d.objid = s.oid and d.deptype in ('a', 'i') and d.classid = 'pg_class'::regclass
     join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
     where s.relkind = 'S' and s.relnamespace = 'public'::regnamespace and d.refobjid::regclass::text not like 'knex_%'`,
  );
  for (const { sequence, table, name } of rows)
    await db.query(`select setval('${sequence}', greatest(1, (select coalesce(max("${name}"), 0) from ${table})), exists (select 1 from ${table}))`);
}

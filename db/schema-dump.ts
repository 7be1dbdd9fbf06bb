// The schema of a database as text, from PostgreSQL's catalogs: two databases with the same dump have the
// same schema, the order of columns included. What changes with a server's version or owner (ids, passwords,
// names of foreign keys' own triggers) is left out.
import type { Knex } from 'knex';

/**
 * Schemas of ours: `span_days` holds the partitions of spans. Tables of knex are no part of what a migration
 * makes.
 */
const OURS = `n.nspname in ('public', 'span_days')`;
const NOT_KNEX = `c.relname not like 'knex\\_%'`;
/** What an extension brings belongs to the extension. */
const OF_NO_EXTENSION = (catalog: string, id: string) =>
  `not exists (select from pg_depend e where e.classid = '${catalog}'::regclass and e.objid = ${id} and e.deptype = 'e')`;

/** Each yields lines: where they belong (`at`, then `ord`), and what they say. */
const QUERIES = [
  `select 'extension ' || extname as at, 0 as ord, 'extension ' || extname || ' in ' || n.nspname as line
   from pg_extension x join pg_namespace n on n.oid = x.extnamespace`,
  `select 'schema ' || n.nspname as at, 0 as ord, 'schema ' || n.nspname || coalesce(' ' || n.nspacl::text, '') as line from pg_namespace n where ${OURS}`,

  `select c.oid::regclass::text as at, 0 as ord, format('%s %s%s%s%s%s%s%s%s',
     case c.relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else c.relkind::text end,
     c.oid::regclass, ' partition by ' || pg_get_partkeydef(c.oid),
     ' partition of ' || (select inhparent::regclass from pg_inherits where inhrelid = c.oid) || ' ' || pg_get_expr(c.relpartbound, c.oid),
     ' with ' || c.reloptions::text, case c.relpersistence when 'p' then '' else ' persistence ' || c.relpersistence::text end,
     case when c.relrowsecurity then ' row security' end, ' grants ' || c.relacl::text,
     case when c.relkind in ('v', 'm') then ' as ' || pg_get_viewdef(c.oid) end) as line
   from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OURS} and ${NOT_KNEX} and c.relkind in ('r', 'p', 'v', 'm', 'S')`,

  // The place among the columns that are there: a dropped column leaves a gap in attnum.
  `select c.oid::regclass::text as at, row_number() over (partition by c.oid order by a.attnum) as ord,
     format('  column %s %s%s%s%s%s%s%s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
       case when a.attcollation <> t.typcollation then ' collate ' || a.attcollation::regcollation::text end,
       case when a.attnotnull then ' not null' end,
       case a.attgenerated when '' then ' default ' else ' generated ' || a.attgenerated::text || ' ' end || pg_get_expr(d.adbin, d.adrelid),
       case a.attidentity when '' then '' else ' identity ' || a.attidentity::text end,
       ' statistics ' || a.attstattarget, case when a.attstorage <> t.typstorage then ' storage ' || a.attstorage::text end,
       case a.attcompression when '' then '' else ' compression ' || a.attcompression::text end, ' with ' || a.attoptions::text, ' grants ' || a.attacl::text) as line
   from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace join pg_type t on t.oid = a.atttypid
   left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
   where ${OURS} and ${NOT_KNEX} and c.relkind in ('r', 'p', 'v', 'm') and a.attnum > 0 and not a.attisdropped`,

  `select c.oid::regclass::text as at, 10000 as ord, format('  constraint %s %s%s%s', k.conname, pg_get_constraintdef(k.oid),
     case when k.convalidated then '' else ' not validated' end, case when k.conenforced then '' else ' not enforced' end) as line
   from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace where ${OURS} and ${NOT_KNEX}`,

  `select i.indrelid::regclass::text as at, 20000 as ord, format('  %s%s%s%s', pg_get_indexdef(i.indexrelid), case when i.indisvalid then '' else ' invalid' end,
     case when i.indisclustered then ' clustered' end, case when i.indisreplident then ' replica identity' end) as line
   from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace where ${OURS} and ${NOT_KNEX}`,
  `select i.indrelid::regclass::text as at, 25000 as ord, format('  index %s column %s statistics %s', a.attrelid::regclass, a.attnum, a.attstattarget) as line
   from pg_attribute a join pg_index i on i.indexrelid = a.attrelid join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
   where ${OURS} and ${NOT_KNEX} and a.attstattarget is not null`,

  `select g.tgrelid::regclass::text as at, 30000 as ord, format('  %s enabled %s', pg_get_triggerdef(g.oid), g.tgenabled) as line
   from pg_trigger g join pg_class c on c.oid = g.tgrelid join pg_namespace n on n.oid = c.relnamespace where ${OURS} and ${NOT_KNEX} and not g.tgisinternal`,

  `select 'sequence ' || s.seqrelid::regclass as at, 0 as ord, format('sequence %s %s start %s by %s from %s to %s cache %s cycle %s owned by %s', s.seqrelid::regclass,
     s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache, s.seqcycle,
     (select format('%s.%s', o.refobjid::regclass, a.attname) from pg_depend o join pg_attribute a on a.attrelid = o.refobjid and a.attnum = o.refobjsubid
      where o.objid = s.seqrelid and o.classid = 'pg_class'::regclass and o.deptype in ('a', 'i'))) as line
   from pg_sequence s join pg_class c on c.oid = s.seqrelid join pg_namespace n on n.oid = c.relnamespace where ${OURS} and ${NOT_KNEX}`,

  `select 'function ' || p.oid::regprocedure as at, 0 as ord, rtrim(pg_get_functiondef(p.oid)) || coalesce(' grants ' || p.proacl::text, '') as line
   from pg_proc p join pg_namespace n on n.oid = p.pronamespace where ${OURS} and p.prokind in ('f', 'p') and ${OF_NO_EXTENSION('pg_proc', 'p.oid')}`,
  `select 'aggregate ' || p.oid::regprocedure as at, 0 as ord, 'aggregate ' || p.oid::regprocedure as line
   from pg_proc p join pg_namespace n on n.oid = p.pronamespace where ${OURS} and p.prokind = 'a' and ${OF_NO_EXTENSION('pg_proc', 'p.oid')}`,
  `select 'type ' || t.oid::regtype as at, 0 as ord, format('type %s %s %s', t.oid::regtype, t.typtype,
     (select string_agg(e.enumlabel, ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid)) as line
   from pg_type t join pg_namespace n on n.oid = t.typnamespace
   where ${OURS} and t.typtype in ('e', 'd', 'r') and ${OF_NO_EXTENSION('pg_type', 't.oid')}`,
  `select 'statistics ' || s.stxname as at, 0 as ord, pg_get_statisticsobjdef(s.oid) as line
   from pg_statistic_ext s join pg_namespace n on n.oid = s.stxnamespace where ${OURS}`,
  `select 'comments' as at, 0 as ord, format('comment on %s: %s', pg_describe_object(d.classoid, d.objoid, d.objsubid), d.description) as line
   from pg_description d where d.classoid in ('pg_class'::regclass, 'pg_proc'::regclass, 'pg_constraint'::regclass, 'pg_trigger'::regclass)
   and pg_describe_object(d.classoid, d.objoid, d.objsubid) !~ 'knex_' and d.objoid >= 16384
   and not exists (select from pg_depend e where e.classid = d.classoid and e.objid = d.objoid and e.deptype = 'e')`,
];

export async function schemaDump(db: Knex): Promise<string> {
  const parts = QUERIES.map((query) => query.replaceAll('?', '\\?')).join('\nunion all\n');
  // "C": the order of bytes, whatever the database's own is.
  const { rows } = await db.raw<{ rows: { line: string }[] }>(`select line from (${parts}) dump order by at collate "C", ord, line collate "C"`);
  return rows.map(({ line }) => `${line}\n`).join('');
}

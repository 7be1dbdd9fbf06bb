// Pages of resources: filtered, in an order, counted (RFC 7644 §3.4.2).
import type { Knex } from 'knex';
import { SCIM_LIST_SCHEMA, SCIM_MAX_RESULTS, type ScimListing } from '#contract/orgs/scim.ts';
import type { Document } from './schema/attribute.ts';
import { parseAttributePath, valuePart } from './schema/place.ts';
import { pathInvalid } from './error.ts';
import { parseFilter } from './filter/parse.ts';
import { filterSql, type ValueSource, type Sources, type Sql } from './filter/sql.ts';

export interface ListAnswer {
  schemas: [typeof SCIM_LIST_SCHEMA];
  totalResults: number;
  startIndex: number;
  itemsPerPage: number;
  Resources: { schemas: string[]; [name: string]: unknown }[];
}

type ListQuery = Pick<ScimListing, 'filter' | 'sortBy' | 'sortOrder' | 'startIndex' | 'count'>;

export interface ResourcePage {
  total: number;
  /** In order. */
  ids: string[];
  startIndex: number;
}

/** @throws BadRequest scim_filter_invalid, scim_path_invalid */
export async function find(db: Knex, sources: Sources, i: ListQuery): Promise<ResourcePage> {
  const startIndex = Math.max(1, i.startIndex);
  const count = Math.min(SCIM_MAX_RESULTS, Math.max(0, i.count));
  const filter: Sql = i.filter === undefined ? { sql: 'true', bindings: [] } : filterSql(parseFilter(i.filter), sources);
  const order = orderOf(i, sources);
  const { from, where } = sources.rows;
  // What fits is settled first: with the limit in sight PostgreSQL may walk all rows for the first few.
  const { rows } = await db.raw<{ rows: { total: string; ids: string[] | null }[] }>(
    `with found as materialized (select r.scim_id, ${order.sql} as k from ${from} where ${where.sql} and ${filter.sql}),
       page as (select scim_id, row_number() over (order by k ${order.direction} nulls last, scim_id) as at from found order by at limit ? offset ?)
     select (select count(*) from found) as total, (select array_agg(scim_id order by at) from page) as ids`,
    [...order.bindings, ...where.bindings, ...filter.bindings, count, startIndex - 1],
  );
  return { total: Number(rows[0]?.total ?? 0), ids: rows[0]?.ids ?? [], startIndex };
}

/** Resources of one type do not all have the attribute: who has none comes last. */
function orderOf({ sortBy, sortOrder }: ListQuery, sources: Sources): Sql & { direction: 'asc' | 'desc' } {
  if (sortBy === undefined || sortBy === '') return { sql: 'null::text', bindings: [], direction: 'asc' };
  const place = parseAttributePath(sources.kind, sortBy);
  const source = place && sources.of(place, valuePart(place));
  if (!source) throw pathInvalid(`"${sortBy.slice(0, 100)}" is nothing to sort by`);
  return { ...valueSql(source), direction: sortOrder === 'descending' ? 'desc' : 'asc' };
}

function valueSql(source: ValueSource): Sql {
  if ('column' in source) return { sql: source.column, bindings: [] };
  return { sql: `(select min(${source.value}) from ${source.from} where ${source.where.sql} and ${source.id} = r.scim_id)`, bindings: source.where.bindings };
}

export function listAnswer(found: Pick<ResourcePage, 'total' | 'startIndex'>, resources: Document[]): ListAnswer {
  // Safe: every resource is presented with its schemas, and a selection keeps them.
  const Resources = resources as ListAnswer['Resources'];
  return { schemas: [SCIM_LIST_SCHEMA], totalResults: found.total, startIndex: found.startIndex, itemsPerPage: Resources.length, Resources };
}

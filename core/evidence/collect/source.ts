// One kind of record that is evidence of an agent: who may see which rows, and what a row says.
import type { Knex } from 'knex';
import type { EvidenceNodeOut } from '#contract/evidence/agent-evidence.ts';
import type { EvidenceConfidence, EvidenceEdgeType, EvidenceLane, EvidenceType } from '#contract/states.ts';

/** Whose evidence is read, and by whom. */
export interface Viewed {
  agent_id: string;
  name: string;
  owner: string;
  /** The reading user; null: a reader without records. */
  viewer: string | null;
  isOwner: boolean;
  live_deploy_id: string | null;
}

/** A row as the database writes it in JSON. */
export type Row = Record<string, unknown>;

/**
 * Rows that the viewer may see, newest first by (at, id), by an index. All of it is our own SQL with the
 * bindings of `Viewed`.
 */
export interface Rows {
  /** What `node` reads, besides at_us and id. */
  columns: string;
  /** Table and alias. */
  from: string;
  /** What the columns read besides; it leaves each row there once. */
  joins?: string;
  where: string;
  /** Columns that are the order. `id` is unique among the rows. */
  at: string;
  id: string;
}

type Node = Omit<EvidenceNodeOut, 'time' | 'sort_key' | 'id' | 'type' | 'lane'>;

/** What a row is joined with. One of the ends is the row's own node. */
export interface Join {
  type: EvidenceEdgeType;
  from: string;
  to: string;
  join_rule: string;
  confidence: EvidenceConfidence;
}

export interface Source {
  type: EvidenceType;
  lane: EvidenceLane;
  /** Undefined: nothing of it is this viewer's to see; `left_out` says what. */
  rows(of: Viewed): Rows | undefined;
  /** Name for the answer's `redaction`, where this viewer does not see all rows. */
  left_out(of: Viewed): string | undefined;
  node(row: Row, of: Viewed): Node;
  joins(row: Row, self: string, of: Viewed): Join[];
  /** Read however old they are, up to the most that is asked for: what else is there is read from them. */
  whole?: true;
  /** A table that another part of the platform makes: without it there are no rows. */
  table?: string;
}

export const nodeId = (type: EvidenceType, id: string): string => `${type}:${id}`;

export function strict(type: EvidenceEdgeType, from: string, to: string, join_rule: string): Join {
  return { type, from, to, join_rule, confidence: 'strict' };
}

/** Joins by a column that may be null. */
export function joined(row: Row, column: string, join: (id: string) => Join): Join[] {
  const id = text(row, column);
  return id === '' ? [] : [join(id)];
}

/** Columns of rows are texts, numbers and lists, as each source selects them; what is null reads as ''. */
export function text(row: Row, column: string): string {
  const value = row[column];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function texts(row: Row, column: string): string[] {
  const value = row[column];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

export function number(row: Row, column: string): number {
  const value = row[column];
  return typeof value === 'number' ? value : 0;
}

/** Of the named columns those that the row has. */
export function refsOf(row: Row, ...columns: string[]): Record<string, string> {
  return Object.fromEntries(columns.flatMap((column) => (text(row, column) === '' ? [] : [[column, text(row, column)]])));
}

export async function hasTable(db: Knex, table: string): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { there: boolean }[] }>('select to_regclass(?) is not null as there', [`public.${table}`]);
  return rows[0]?.there === true;
}

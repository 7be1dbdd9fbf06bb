// Reads the newest rows of all kinds of evidence in one statement: one moment, one connection. First it
// finds, only by indexes, how far back the newest of all kinds together reach: of each kind only rows up to
// there are read in full.
import type { Knex } from 'knex';
import type { EvidenceNodeOut } from '#contract/evidence/agent-evidence.ts';
import type { EvidenceLane } from '#contract/states.ts';
import type { AgentView } from '../../agents/agent/select.ts';
import { agentFor } from '../../agents/agent/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { instantOf, microseconds } from '../../kernel/keyset.ts';
import { may } from '../../kernel/policy.ts';
import { hasTable, type Join, nodeId, type Row, type Rows, type Source, type Viewed } from './source.ts';
import { SOURCES } from './sources.ts';

export interface Gathered {
  nodes: EvidenceNodeOut[];
  joins: Join[];
  redaction: string[];
  watermark: { as_of: string; receipts_seq: number | null; head_sha256: string | null };
}

/** The place of the last node seen. */
export interface NodePosition {
  /** Microseconds since the epoch. */
  at: number;
  id: string;
}

/** @throws NotFound agent_not_found */
export async function evidenceView(ctx: Ctx, name: string): Promise<{ agent: AgentView; of: Viewed }> {
  const agent = await agentFor(ctx.db, ctx.actor, 'evidence.read', name);
  const viewer = ctx.actor.kind === 'user' ? ctx.actor.user_id : null;
  const isOwner = may(ctx.actor, 'evidence.read_all', { owner: agent.owner_id });
  return { agent, of: { agent_id: agent.agent_id, name: agent.name, owner: agent.owner_id, viewer, isOwner, live_deploy_id: agent.live_deploy_id } };
}

/**
 * The newest `most` nodes of all kinds together, and perhaps some older ones, but at most `most` of each
 * kind; of the kinds that are read whole, the newest `most`.
 */
export async function gather(db: Knex, of: Viewed, i: { most: number; before?: NodePosition | undefined; lane?: EvidenceLane | undefined }): Promise<Gathered> {
  const sources = await presentSources(db, i.lane);
  const kinds = sources.flatMap((source, at) => {
    const rows = source.rows(of);
    return rows ? [{ source, at, rows }] : [];
  });
  const parts = [...kinds.map(({ source, at, rows }) => part(source, at, rows, i)), watermark(of)];
  const { rows } = await db.raw<{ rows: { source: number; raw_id: string; at_us: number; row: Row }[] }>(`${reach(kinds, i)} ${parts.join(' union all ')}`, {
    ...of,
    before_at: i.before?.at ?? 0,
    before_id: rawOf(i.before),
    most: i.most,
    viewer: of.viewer ?? '',
  });
  const mark = rows.find(({ source }) => source === WATERMARK);
  const entries = rows.flatMap(({ source: at, raw_id, at_us, row }) => {
    const source = sources[at];
    return source ? [{ source, id: nodeId(source.type, raw_id), at_us, row }] : [];
  });
  const nodes = entries.map(({ source, id, at_us, row }) => ({ ...source.node(row, of), id, type: source.type, lane: source.lane, ...timeOf(at_us, id) }));
  const joins = entries.flatMap(({ source, id, row }) => source.joins(row, id, of));
  const redaction = [...new Set(sources.flatMap((source) => source.left_out(of) ?? []))].toSorted();
  return { nodes, joins, redaction, watermark: presentMark(mark, of) };
}

async function presentSources(db: Knex, lane: EvidenceLane | undefined): Promise<Source[]> {
  const there = await Promise.all(SOURCES.map(async ({ table }) => table === undefined || (await hasTable(db, table))));
  return SOURCES.filter((source, at) => there[at] === true && (lane === undefined || source.lane === lane));
}

const WATERMARK = -1;

function watermark({ isOwner }: Viewed): string {
  const of = isOwner ? 'agent_id = :agent_id' : 'false';
  return `select ${WATERMARK}, '', ${microseconds('now()')}, (select jsonb_build_object('seq', seq, 'head_sha256', head_sha256) from receipt_chains where ${of})`;
}

function presentMark(mark: { at_us: number; row: Row | null } | undefined, { isOwner }: Viewed): Gathered['watermark'] {
  const { seq, head_sha256 } = mark?.row ?? {};
  return {
    as_of: new Date((mark?.at_us ?? 0) / 1000).toISOString(),
    receipts_seq: isOwner ? (typeof seq === 'number' ? seq : 0) : null,
    head_sha256: typeof head_sha256 === 'string' ? head_sha256 : null,
  };
}

/** SQL: `reach.since` is as old as the oldest of the newest rows. A row that two sources have counts once. */
function reach(kinds: readonly { source: Source; rows: Rows }[], i: { before?: NodePosition | undefined }): string {
  const keys = kinds.map(({ source, rows }) => `(select '${source.type}' as type, ${rows.id} as id, ${rows.at} as at ${newest(source, rows, i)})`);
  const all = keys.length === 0 ? `select '' as type, '' as id, now() as at where false` : keys.join(' union ');
  return `with reach as materialized (
    select coalesce((select at from (${all}) keys order by at desc offset cast(:most as int) - 1 limit 1), '-infinity') as since
  )`;
}

function newest(source: Source, { from, where, at, id }: Rows, { before }: { before?: NodePosition | undefined }): string {
  return `from ${from} where ${where}${before ? ` and ${rowsBefore(source, before, at, id)}` : ''} order by ${at} desc, ${id} desc limit :most`;
}

function part(source: Source, n: number, rows: Rows, i: { before?: NodePosition | undefined }): string {
  const { columns, from, joins = '', at, id, where } = rows;
  const [, alias] = from.split(' ');
  const reached = source.whole ? rows : { ...rows, where: `${where} and ${at} >= (select since from reach)` };
  return `select ${n} as source, s.raw_id, s.at_us, to_jsonb(s) as row from (
    select ${columns}, ${id} as raw_id, ${microseconds(at)} as at_us from (select ${alias}.* ${newest(source, reached, i)}) ${alias} ${joins}
  ) s`;
}

/**
 * Of the instant where the last page ended, kinds whose name comes later were shown, those of the same kind
 * up to its id.
 */
function rowsBefore(source: Source, before: NodePosition, time: string, id: string): string {
  const instant = instantOf('before_at');
  const [type = ''] = before.id.split(':', 1);
  if (type === source.type) return `(${time}, ${id}) < (${instant}, :before_id)`;
  return `${time} ${source.type < type ? '<=' : '<'} ${instant}`;
}

const rawOf = (before: NodePosition | undefined): string => before?.id.slice(before.id.indexOf(':') + 1) ?? '';

function timeOf(at_us: number, id: string): { time: string; sort_key: string } {
  return { time: new Date(Math.floor(at_us / 1000)).toISOString(), sort_key: `${String(at_us).padStart(17, '0')} ${id}` };
}

/** Microseconds and id that a sort key was made of. */
export function positionOf(sort_key: string): NodePosition {
  const space = sort_key.indexOf(' ');
  return { at: Number(sort_key.slice(0, space)), id: sort_key.slice(space + 1) };
}

/** Newest first: the order of everything here. */
export const byNewest = (a: { sort_key: string }, b: { sort_key: string }): number => (a.sort_key < b.sort_key ? 1 : a.sort_key > b.sort_key ? -1 : 0);

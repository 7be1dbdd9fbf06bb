// A graph of what was gathered: the same from the same records in whatever order they come, and never with a
// circle. Pure.
import type { EvidenceDagOut, EvidenceEdgeOut, EvidenceNodeOut } from '#contract/evidence/agent-evidence.ts';
import { EVIDENCE_CONFIDENCES } from '#contract/states.ts';
import type { Join } from '../collect/source.ts';

/** Of the warning. */
const CIRCLE = 'edge_closes_circle';

export type Projected = Pick<EvidenceDagOut, 'nodes' | 'edges' | 'warnings' | 'truncated' | 'oldest'>;

const MAX_WARNINGS = 20;

/** `pinned`: ids of nodes that stay whatever their age. */
export function projectGraph(
  all: readonly EvidenceNodeOut[],
  joins: readonly Join[],
  { limit, pinned }: { limit: number; pinned: ReadonlySet<string> },
): Projected {
  const merged = mergeNodes(all).toSorted(newestFirst);
  const pinnedNodes = merged.filter(({ id }) => pinned.has(id)).slice(0, limit);
  const room = limit - pinnedNodes.length;
  const others = merged.filter(({ id }) => !pinned.has(id));
  const shown = others.slice(0, room);
  const nodes = [...pinnedNodes, ...shown].toSorted(newestFirst);
  const truncated = others.length > room;
  const { edges, warnings } = withoutCircles(joins, new Set(nodes.map(({ id }) => id)));
  return { nodes, edges, warnings, truncated, oldest: truncated ? (shown.at(-1)?.time ?? null) : null };
}

/** One record may be found in two ways: as a handoff that an agent made to itself. */
function mergeNodes(all: readonly EvidenceNodeOut[]): EvidenceNodeOut[] {
  const byId = new Map<string, EvidenceNodeOut>();
  for (const node of all.toSorted(byText)) {
    const known = byId.get(node.id);
    byId.set(node.id, known ? { ...known, provenance: union(known.provenance, node.provenance), redaction: union(known.redaction, node.redaction) } : node);
  }
  return [...byId.values()];
}

const union = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])].toSorted();
const byText = (a: object, b: object): number => compare(JSON.stringify(a), JSON.stringify(b));
const newestFirst = (a: EvidenceNodeOut, b: EvidenceNodeOut): number => compare(b.sort_key, a.sort_key);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Strict joins first: a statement of a party never displaces a record of the platform. */
function withoutCircles(joins: readonly Join[], known: ReadonlySet<string>): Pick<Projected, 'edges' | 'warnings'> {
  const edges = new Map<string, EvidenceEdgeOut>();
  const warnings = new Map<string, Projected['warnings'][number]>();
  const next = new Map<string, Set<string>>();
  for (const join of joins.toSorted(strictFirst)) {
    const { from, to, type } = join;
    const edge = { id: `${type}:${from}>${to}`, ...join };
    if (!known.has(from) || !known.has(to) || edges.has(edge.id)) continue;
    if (leadsTo(next, to, from)) {
      warnings.set(edge.id, { code: CIRCLE, message: `${from} ${type} ${to} would close a circle and was left out`, edge });
      continue;
    }
    edges.set(edge.id, edge);
    next.set(from, (next.get(from) ?? new Set()).add(to));
  }
  return {
    edges: [...edges.values()].toSorted((a, b) => compare(a.id, b.id)),
    warnings: [...warnings.values()].toSorted((a, b) => compare(a.edge.id, b.edge.id)).slice(0, MAX_WARNINGS),
  };
}

function strictFirst(a: Join, b: Join): number {
  const rank = ({ confidence }: Join): number => EVIDENCE_CONFIDENCES.indexOf(confidence);
  return rank(a) - rank(b) || compare(`${a.type} ${a.from} ${a.to} ${a.join_rule}`, `${b.type} ${b.from} ${b.to} ${b.join_rule}`);
}

function leadsTo(next: ReadonlyMap<string, ReadonlySet<string>>, start: string, goal: string): boolean {
  const seen = new Set<string>();
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === goal) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    open.push(...(next.get(at) ?? []));
  }
  return false;
}

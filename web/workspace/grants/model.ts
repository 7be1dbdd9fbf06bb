// What grants allow now, and how they came from each other.
import { grantFilter } from '#contract/wire/containment.ts';
import type { Item } from '../../api/query.ts';

export type GrantRow = Item<'grants', 'list'>;
type State = GrantRow['state'];

/**
 * What came from a grant that ended is not valid either: the state of the row, or of the first above it that
 * is not active.
 */
export function stateOf(grant: GrantRow, all: ReadonlyMap<string, GrantRow>): State {
  const seen = new Set<string>();
  for (let at: GrantRow | undefined = grant; at && !seen.has(at.grant_id); at = at.parent_grant_id === null ? undefined : all.get(at.parent_grant_id)) {
    if (at.state !== 'active') return at.state;
    seen.add(at.grant_id);
  }
  return 'active';
}

export function byId(grants: readonly GrantRow[]): Map<string, GrantRow> {
  return new Map(grants.map((grant) => [grant.grant_id, grant]));
}

export interface Access {
  grant: GrantRow;
  write: boolean;
}

/** The valid grants that let an agent read this path; those that let it write first. */
export function accessTo(path: string, grants: readonly GrantRow[]): Access[] {
  const all = byId(grants);
  return grants
    .filter((grant) => stateOf(grant, all) === 'active' && grantFilter(grant, 'read')(path))
    .map((grant) => ({ grant, write: grantFilter(grant, 'write')(path) }))
    .toSorted((a, b) => Number(b.write) - Number(a.write));
}

export interface Branch {
  grant: GrantRow;
  below: Branch[];
}

/** A grant with all that came from it. */
export function treeOf(grant: GrantRow, others: readonly GrantRow[]): Branch {
  const children = Map.groupBy(
    others.filter(({ grant_id }) => grant_id !== grant.grant_id),
    ({ parent_grant_id }) => parent_grant_id,
  );
  const branch = (of: GrantRow): Branch => ({ grant: of, below: (children.get(of.grant_id) ?? []).map(branch) });
  return branch(grant);
}

/** The folder below which it may write, in words. */
// words: shown
export function writesTo({ mode, outputs_prefix: prefix }: Pick<GrantRow, 'mode' | 'outputs_prefix'>): string {
  if (mode === 'read_only') return 'nothing';
  return prefix === null ? 'wherever it may read' : `below ${prefix.replace(/\/$/, '')}/`;
}

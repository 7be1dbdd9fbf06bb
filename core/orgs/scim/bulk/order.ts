// In which order the operations of a bulk request are done: as they stand, but each after those whose
// resources it names.
import type { BulkOperation } from './request.ts';

/** Operations that are done together, as they stand: one, or several that refer to each other in a circle. */
export type Unit = readonly BulkOperation[];

/** A circle of one names itself. */
export function isCircle(unit: Unit): boolean {
  return unit.some(({ bulkId, method, refersTo }) => method === 'POST' && bulkId !== undefined && (unit.length > 1 || refersTo.has(bulkId)));
}

/** Units in the order in which they are done. */
export function unitsOf(operations: readonly BulkOperation[]): Unit[] {
  const makers = new Map(operations.flatMap((one) => (one.method === 'POST' && one.bulkId !== undefined ? [[one.bulkId, one] as const] : [])));
  const needs = (one: BulkOperation): BulkOperation[] => [...one.refersTo].flatMap((id) => makers.get(id) ?? []);
  const place = new Map(operations.map((one, at) => [one, at]));
  const units = components(operations, needs)
    .map((unit) => unit.toSorted((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0)))
    .toSorted(([a], [b]) => (a && b ? (place.get(a) ?? 0) - (place.get(b) ?? 0) : 0));
  const unitOf = new Map(units.flatMap((unit, at) => unit.map((one) => [one, at] as const)));
  const neededBy = units.map((): number[] => []);
  const lacks = units.map((unit, at) => {
    const needed = new Set(unit.flatMap(needs).flatMap((one) => unitOf.get(one) ?? []));
    needed.delete(at);
    for (const other of needed) neededBy[other]?.push(at);
    return needed.size;
  });
  const ordered: Unit[] = [];
  while (ordered.length < units.length) {
    const next = lacks.indexOf(0);
    const unit = units[next];
    if (!unit) throw new Error('operations of a bulk request wait for each other');
    lacks[next] = -1;
    for (const other of neededBy[next] ?? []) lacks[other] = (lacks[other] ?? 0) - 1;
    ordered.push(unit);
  }
  return ordered;
}

/**
 * Those that reach each other (Tarjan's strongly connected components). Without recursion: a chain may be
 * long.
 */
function components(operations: readonly BulkOperation[], needs: (one: BulkOperation) => BulkOperation[]): Unit[] {
  const units: Unit[] = [];
  const index = new Map<BulkOperation, number>();
  const low = new Map<BulkOperation, number>();
  const open: BulkOperation[] = [];
  const isOpen = new Set<BulkOperation>();
  const lower = (one: BulkOperation, to: number): void => void low.set(one, Math.min(low.get(one) ?? to, to));
  const enter = (one: BulkOperation): { one: BulkOperation; left: BulkOperation[] } => {
    index.set(one, index.size);
    lower(one, index.size - 1);
    open.push(one);
    isOpen.add(one);
    return { one, left: needs(one) };
  };
  for (const start of operations) {
    if (index.has(start)) continue;
    const path = [enter(start)];
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const { one, left } = at;
      const next = left.pop();
      if (next !== undefined) {
        if (!index.has(next)) path.push(enter(next));
        else if (isOpen.has(next)) lower(one, index.get(next) ?? 0);
        continue;
      }
      path.pop();
      const above = path.at(-1);
      if (above) lower(above.one, low.get(one) ?? 0);
      if (low.get(one) !== index.get(one)) continue;
      const unit = open.splice(open.indexOf(one));
      for (const member of unit) isOpen.delete(member);
      units.push(unit);
    }
  }
  return units;
}

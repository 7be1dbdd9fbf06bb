// Which tests a change may break, most likely first: the test beside a changed file, then by the number of imports between, then those that reach least else.
import { dirname } from 'node:path';
import { type Graph, isTest, reachOf } from './graph.ts';
import { expectedSeconds } from './groups.ts';

export interface Touched {
  file: string;
  /** Imports between it and the nearest changed file; 0: it changed itself. */
  distance: number;
}

/** @param changed from the root of the repository; files that are gone count where something still names them */
export function touchedBy(graph: Graph, changed: readonly string[]): Touched[] {
  const found = [...graph.contents.keys()].filter(isTest).flatMap((file) => {
    const reach = reachOf(graph, file);
    const distance = Math.min(...changed.map((one) => reach.get(one) ?? Infinity));
    return distance === Infinity ? [] : [{ file, distance, size: reach.size, isBeside: changed.some((one) => isBeside(file, one)) }];
  });
  return found
    .toSorted((a, b) => Number(b.isBeside) - Number(a.isBeside) || rank(a) - rank(b) || expectedSeconds(a.file) - expectedSeconds(b.file))
    .map(({ file, distance }) => ({ file, distance }));
}

/** A test five imports away that reaches little says more than one three away that reaches everything, and costs less. */
const rank = ({ distance, size }: { distance: number; size: number }): number => distance + Math.log2(size);

const isBeside = (test: string, file: string): boolean => dirname(test) === dirname(file);

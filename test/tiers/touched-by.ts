// Which tests a change may break, most likely first: the test beside a changed file, then by the number of
// imports between, then those that reach least else. A test of a route calls it by HTTP and so reaches
// everything: it counts as near as the files of its folder, the one that it is named after first.
import { dirname } from 'node:path';
import { type Graph, isTest, reachOf } from './graph.ts';
import { expectedSeconds } from './groups.ts';

export interface Touched {
  file: string;
  /** Imports between it and the nearest changed file; 0: it changed itself. */
  distance: number;
}

/**
 * @param changed from the root of the repository; files that are gone count where something still names them
 */
export function touchedBy(graph: Graph, changed: readonly string[]): Touched[] {
  const ways = new Map<string, Way | undefined>();
  const wayOf = (file: string): Way | undefined => {
    if (!ways.has(file)) ways.set(file, wayFrom(graph, file, changed));
    return ways.get(file);
  };
  const folders = Map.groupBy([...graph.contents.keys()].filter((file) => !isTest(file)), dirname); // prettier-ignore
  const found = [...graph.contents.keys()].filter(isTest).flatMap((file) => {
    const own = wayOf(file);
    if (!own) return [];
    const beside = (folders.get(dirname(file)) ?? []).flatMap((one) => {
      const way = wayOf(one);
      return way ? [{ ...way, distance: way.distance + (isNamedAfter(file, one) ? 1 : 2) }] : [];
    });
    const nearest = beside.reduce((a, b) => (rank(b) < rank(a) ? b : a), own);
    return [{ file, distance: own.distance, rank: rank(nearest), isBeside: changed.some((one) => isBeside(file, one)) }];
  });
  return found
    .toSorted((a, b) => Number(b.isBeside) - Number(a.isBeside) || a.rank - b.rank || expectedSeconds(a.file) - expectedSeconds(b.file))
    .map(({ file, distance }) => ({ file, distance }));
}

interface Way {
  distance: number;
  /** Files that it reaches in all. */
  size: number;
}

function wayFrom(graph: Graph, file: string, changed: readonly string[]): Way | undefined {
  const reach = reachOf(graph, file);
  const distance = Math.min(...changed.map((one) => reach.get(one) ?? Infinity));
  return distance === Infinity ? undefined : { distance, size: reach.size };
}

const isNamedAfter = (test: string, file: string): boolean => test.replace(/(\.[a-z]+)?\.test\.tsx?$/, '') === file.replace(/\.tsx?$/, '');

/**
 * A test five imports away that reaches little says more than one three away that reaches everything, and
 * costs less.
 */
const rank = ({ distance, size }: Way): number => distance + Math.log2(size);

const isBeside = (test: string, file: string): boolean => dirname(test) === dirname(file);

// Where the steps of a plan stand in its graph. Pure, but for the library that computes it.
import { graphlib, layout } from '@dagrejs/dagre';

export interface Planned {
  number: number;
  dependsOn: readonly number[];
}

export interface Placed {
  number: number;
  x: number;
  y: number;
}

export const STEP = { width: 200, height: 58 } as const;

/** From left to right, or from top to bottom where there is little room. */
export function placesOf(steps: readonly Planned[], direction: 'LR' | 'TB'): { places: Placed[]; width: number; height: number } {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: direction, nodesep: 18, ranksep: 44 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { number } of steps) graph.setNode(String(number), { ...STEP });
  for (const [from, to] of edgesOf(steps)) graph.setEdge(String(from), String(to));
  layout(graph);
  const places = steps.map(({ number }) => {
    const { x = 0, y = 0 } = graph.node(String(number));
    return { number, x: x - STEP.width / 2, y: y - STEP.height / 2 };
  });
  return {
    places,
    width: Math.max(0, ...places.map(({ x }) => x + STEP.width)),
    height: Math.max(0, ...places.map(({ y }) => y + STEP.height)),
  };
}

/** Between steps that are there. */
export function edgesOf(steps: readonly Planned[]): [from: number, to: number][] {
  const known = new Set(steps.map(({ number }) => number));
  return steps.flatMap(({ number, dependsOn }) =>
    dependsOn.filter((from) => known.has(from) && from !== number).map((from): [number, number] => [from, number]),
  );
}

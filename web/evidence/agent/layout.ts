// Where the nodes of a graph of evidence stand. Pure, but for the library that computes it.
import { graphlib, layout } from '@dagrejs/dagre';

export interface Edge {
  from: string;
  to: string;
}

export const BOX = { width: 190, height: 54 } as const;

export function placesOf(
  ids: readonly string[],
  edges: readonly Edge[],
  direction: 'LR' | 'TB',
): { places: Map<string, { x: number; y: number }>; height: number } {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: direction, nodesep: 14, ranksep: 60 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) graph.setNode(id, { ...BOX });
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);
  const places = new Map(
    ids.map((id) => {
      const { x = 0, y = 0 } = graph.node(id);
      return [id, { x: x - BOX.width / 2, y: y - BOX.height / 2 }];
    }),
  );
  return { places, height: Math.max(0, ...[...places.values()].map(({ y }) => y + BOX.height)) };
}

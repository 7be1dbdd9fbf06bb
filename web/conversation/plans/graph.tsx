// A plan as a graph. For readers without sight or a pointer, a list beside it has the same content.
import '@xyflow/react/dist/base.css';
import { useComputedColorScheme } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { Handle, MarkerType, Position, ReactFlow, type Edge, type Node, type NodeProps } from '@xyflow/react';
import { memo, useMemo } from 'react';
import { State } from '../../kit/state.tsx';
import { edgesOf, placesOf, STEP } from './layout.ts';
import styles from './graph.module.css';

export interface GraphStep {
  number: number;
  agent: string;
  skill: string;
  dependsOn: readonly number[];
  state: string;
  runId: string | null;
}

type StepNode = Node<{ step: GraphStep; down: boolean }, 'step'>;

const TALLEST = 460;
const types = { step: memo(Step) };

export function PlanGraph({ steps }: { steps: readonly GraphStep[] }) {
  const navigate = useNavigate();
  const scheme = useComputedColorScheme();
  const isNarrow = useMediaQuery('(max-width: 47.99em)') ?? false;
  const direction = isNarrow ? 'TB' : 'LR';
  // States change often, places only with the steps.
  const shape = steps.map(({ number, dependsOn }) => `${number}:${dependsOn.join(',')}`).join(' ');
  const { places, width, height } = useMemo(() => placesOf(steps, direction), [shape, direction]);
  const nodes = steps.map((step, at): StepNode => {
    const { x = 0, y = 0 } = places[at] ?? {};
    return { id: String(step.number), type: 'step', position: { x, y }, ...STEP, data: { step, down: isNarrow } };
  });
  const stateOf = new Map(steps.map(({ number, state }) => [number, state]));
  const edges = edgesOf(steps).map(([from, to]): Edge => ({
    id: `${from}-${to}`,
    source: String(from),
    target: String(to),
    focusable: false,
    animated: stateOf.get(to) === 'running',
    markerEnd: { type: MarkerType.ArrowClosed },
  }));
  const done = steps.filter(({ state }) => state === 'succeeded').length;
  return (
    <div
      className={styles.graph}
      style={{ height: Math.min(TALLEST, height + 40) }}
      role="img"
      aria-label={`Graph of the plan: ${done} of ${steps.length} steps done. The list of steps has the same content.`}
    >
      <ReactFlow
        key={`${shape} ${direction}`}
        nodes={nodes}
        edges={edges}
        nodeTypes={types}
        colorMode={scheme}
        fitView
        fitViewOptions={{ padding: 0.08, maxZoom: 1 }}
        minZoom={0.1}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        disableKeyboardA11y
        zoomOnScroll={false}
        preventScrolling={false}
        panOnDrag={width > 600 || height > TALLEST}
        proOptions={{ hideAttribution: true }}
        onNodeClick={(_, { data }) => {
          if (data.step.runId !== null) void navigate({ to: `/runs/${data.step.runId}` });
        }}
      />
    </div>
  );
}

function Step({ data: { step, down } }: NodeProps<StepNode>) {
  return (
    <div className={styles.step} data-state={step.state} data-run={step.runId !== null || undefined}>
      <Handle type="target" position={down ? Position.Top : Position.Left} isConnectable={false} />
      <div className={styles.name}>
        {step.number}. {step.skill} <span className={styles.agent}>{step.agent}</span>
      </div>
      <State of={step.state} />
      <Handle type="source" position={down ? Position.Bottom : Position.Right} isConnectable={false} />
    </div>
  );
}

// The newest evidence as a graph. For readers without sight or a pointer, a table below lists its edges.
import '@xyflow/react/dist/base.css';
import { Text, useComputedColorScheme } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Handle, MarkerType, Position, ReactFlow, type Edge, type Node, type NodeProps } from '@xyflow/react';
import { memo, useMemo } from 'react';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { List, Under } from '../../kit/list.tsx';
import { Empty } from '../../kit/page.tsx';
import { BOX, placesOf } from './layout.ts';
import { LeftOut } from './left-out.tsx';
import { words } from './words.ts';
import styles from './graph.module.css';
import { IN_GRAPH } from './reads.ts';

type Dag = Output<'agentEvidence', 'dag'>;
type Evidence = Dag['nodes'][number];
type EvidenceNode = Node<{ of: Evidence; down: boolean }, 'evidence'>;

const HEIGHT = 560;
const types = { evidence: memo(Box) };

export function Graph({ name }: { name: string }) {
  const dag = useRead('agentEvidence', 'dag', { params: { name }, query: { limit: IN_GRAPH } });
  const labels = new Map(dag.nodes.map(({ id, label }) => [id, label]));
  const ends = new Set(dag.edges.flatMap(({ from, to }) => [from, to]));
  const joined = dag.nodes.filter(({ id }) => ends.has(id));
  const single = dag.nodes.length - joined.length;
  return (
    <>
      <Drawing dag={{ ...dag, nodes: joined }} />
      {single > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {single === 1 ? 'One record without connections here is' : `${single} records without connections here are`} only in the timeline.
        </Text>
      )}
      {dag.truncated && (
        <Text size="sm" c="dimmed" mt="xs">
          The newest {IN_GRAPH}. All of it: the timeline, or <code>svc evidence {name} --dag --limit 1000</code>.
        </Text>
      )}
      {dag.warnings.map(({ message }) => (
        <Text key={message} size="sm" c="dimmed" mt="xs">
          {message}.
        </Text>
      ))}
      <LeftOut of={dag.redaction} />
      <details className={styles.details}>
        <summary>Edges as a table</summary>
        <List
          label="Edges"
          pages={dag.edges}
          keyOf={({ id }) => id}
          empty={<Empty title="No edges yet." />}
          columns={[
            { head: 'From', wide: true, cell: ({ from }) => <End id={from} label={labels.get(from)} /> },
            { head: 'Edge', cell: ({ type }) => words(type) },
            { head: 'To', cell: ({ to }) => <End id={to} label={labels.get(to)} /> },
            { head: 'Joined by', cell: ({ join_rule, confidence }) => `${join_rule}${confidence === 'strict' ? '' : ` (${confidence})`}` },
          ]}
        />
      </details>
    </>
  );
}

function End({ id, label }: { id: string; label: string | undefined }) {
  return (
    <>
      {label ?? id}
      <Under>{id}</Under>
    </>
  );
}

function Drawing({ dag }: { dag: Dag }) {
  const scheme = useComputedColorScheme();
  const isNarrow = useMediaQuery('(max-width: 47.99em)') ?? false;
  const direction = isNarrow ? 'TB' : 'LR';
  const shape = `${dag.nodes.map(({ id }) => id).join(' ')} ${dag.edges.map(({ id }) => id).join(' ')}`;
  const { places, height } = useMemo(
    () =>
      placesOf(
        dag.nodes.map(({ id }) => id),
        dag.edges,
        direction,
      ),
    [shape, direction],
  );
  const nodes = dag.nodes.map((of): EvidenceNode => ({
    id: of.id,
    type: 'evidence',
    position: places.get(of.id) ?? { x: 0, y: 0 },
    ...BOX,
    data: { of, down: isNarrow },
  }));
  const edges = dag.edges.map(({ id, from, to, type, confidence }): Edge => ({
    id,
    source: from,
    target: to,
    focusable: false,
    className: (type === 'contradicts' ? styles.contradicts : confidence === 'strict' ? '' : styles.said) ?? '',
    markerEnd: { type: MarkerType.ArrowClosed },
  }));
  return (
    <div
      className={styles.graph}
      style={{ height: Math.min(HEIGHT, height + 60) }}
      role="img"
      aria-label={`Graph of the evidence: ${dag.nodes.length} records and ${dag.edges.length} edges. The table of edges has the same content.`}
    >
      <ReactFlow
        key={`${shape} ${direction}`}
        nodes={nodes}
        edges={edges}
        nodeTypes={types}
        colorMode={scheme}
        fitView
        fitViewOptions={{ padding: 0.06, maxZoom: 1 }}
        minZoom={0.05}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        disableKeyboardA11y
        zoomOnScroll={false}
        preventScrolling={false}
        proOptions={{ hideAttribution: true }}
      />
    </div>
  );
}

function Box({ data: { of, down } }: NodeProps<EvidenceNode>) {
  return (
    <div className={styles.box} data-lane={of.lane} title={`${of.label}: ${of.summary}`}>
      <Handle type="target" position={down ? Position.Top : Position.Left} isConnectable={false} />
      <div className={styles.label}>{of.label}</div>
      <div className={styles.state}>
        {words(of.type)}
        {of.status !== null && `, ${words(of.status)}`}
      </div>
      <Handle type="source" position={down ? Position.Bottom : Position.Right} isConnectable={false} />
    </div>
  );
}

// The trace of a run: on the left the tree of its spans, on the right each on the same axis. What is shown
// stands in the address.
import { Button, Checkbox, Group, Text, TextInput } from '@mantine/core';
import { IconSearch, IconZoomIn, IconZoomOut } from '@tabler/icons-react';
import { useMemo, useState, type KeyboardEvent } from 'react';
import type { TraceOut } from '#contract/runs/traces.ts';
import { type Axis, axisOf, type Range, wholeRange, zoomed } from './axis.ts';
import { Inspector } from './inspector.tsx';
import styles from './timeline.module.css';
import { rowsOf, startOf } from './tree.ts';
import { useNow } from '../../../kit/use-now.ts';
import { Waterfall } from './waterfall.tsx';
import { useAhead } from '../../../kit/ahead.ts';
import { number } from '../../../kit/number.ts';

export interface TimelineSearch {
  /** Words that a span must have. */
  find?: string | undefined;
  errors?: true | undefined;
  /** The span that is selected. */
  span?: string | undefined;
  /** Its attributes and events are shown. */
  look?: true | undefined;
  /** Milliseconds after the trace began. */
  from?: number | undefined;
  to?: number | undefined;
}

export interface TimelineProps {
  trace: TraceOut;
  search: TimelineSearch;
  onSearch(search: TimelineSearch): void;
}

export function Timeline({ trace: { spans, truncated, refused_spans: refused }, search: kept, onSearch }: TimelineProps) {
  const [search, change] = useAhead(kept, onSearch);
  const { find = '', errors, span: selected } = search;
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const now = useNow(spans.some(({ end_ns }) => end_ns === null));
  const zero = wholeRange(spans, now).from;
  const rows = useMemo(() => rowsOf(spans, closed, { text: find, errorsOnly: errors === true }), [spans, closed, find, errors]);
  const [whole, axis] = useMemo(() => [axisOf(spans, now), axisOf(spans, now, rangeOf(search, zero))], [spans, now, search.from, search.to, zero]);
  const chosen = spans.find(({ span_id }) => span_id === selected);
  const inspected = search.look ? chosen : undefined;
  const show = (range: Range | undefined): void => change({ from: range && offset(range.from - zero), to: range && offset(range.to - zero) });
  const zoom = (part: number): void => show(zoomed(whole, axis, part, chosen ? axis.at(startOf(chosen)) : 0.5));
  const toggle = (id: string, isClosed: boolean): void => {
    const next = new Set(closed);
    if (isClosed) next.add(id);
    else next.delete(id);
    setClosed(next);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === '+' || event.key === '=') zoom(0.5);
    if (event.key === '-') zoom(2);
    if (event.key === '0') show(undefined);
  };
  return (
    <div>
      <Group gap="sm" mb="xs">
        <TextInput
          aria-label="Filter spans"
          placeholder="Filter"
          size="xs"
          w={{ base: '100%', sm: 240 }}
          leftSection={<IconSearch size={14} />}
          value={find}
          onChange={(event) => change({ find: event.currentTarget.value || undefined })}
        />
        <Checkbox size="xs" label="Errors only" checked={errors === true} onChange={(event) => change({ errors: event.currentTarget.checked || undefined })} />
        <Button.Group ms="auto">
          <Button variant="default" size="xs" px={8} aria-label="Zoom in" onClick={() => zoom(0.5)}>
            <IconZoomIn size={15} />
          </Button>
          <Button variant="default" size="xs" px={8} aria-label="Zoom out" onClick={() => zoom(2)}>
            <IconZoomOut size={15} />
          </Button>
          <Button variant="default" size="xs" onClick={() => show(undefined)} disabled={search.from === undefined}>
            All
          </Button>
        </Button.Group>
      </Group>
      <div className={styles.both} data-open={inspected !== undefined || undefined} onKeyDown={onKey}>
        <Waterfall
          rows={rows}
          axis={axis}
          zero={zero}
          now={now}
          selected={selected}
          onSelect={(span, look) => change(look === undefined ? { span } : { span, look: look ?? undefined })}
          onToggle={toggle}
          onRange={(range) => show(range)}
        />
        {inspected && (
          <Inspector span={inspected} zero={zero} now={now} onClose={() => change({ look: undefined })} onZoom={() => show(around(inspected, now, axis))} />
        )}
      </div>
      {truncated && (
        <Text size="sm" c="dimmed" mt="xs">
          There is more than is shown: the trace is longer than one page takes.
        </Text>
      )}
      {refused > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {number(refused)} spans of agents were not taken: too many, too large, or not of this run.
        </Text>
      )}
    </div>
  );
}

function rangeOf({ from, to }: TimelineSearch, zero: number): Range | undefined {
  return from === undefined || to === undefined ? undefined : { from: zero + from, to: zero + to };
}

const offset = (ms: number): number => Math.round(ms * 1000) / 1000;

function around(span: { start_ns: string; end_ns: string | null }, now: number, { range }: Axis): Range {
  const from = startOf(span);
  const to = Math.max(from, span.end_ns === null ? now : Number(span.end_ns) / 1e6);
  const margin = Math.max((to - from) * 0.1, (range.to - range.from) * 0.001, 0.05);
  return { from: from - margin, to: to + margin };
}

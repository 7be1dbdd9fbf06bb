import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import { Empty } from '../../../kit/page.tsx';
import type { Axis, Range } from './axis.ts';
import { AxisHeader } from './axis-header.tsx';
import { SpanRow } from './span-row.tsx';
import styles from './timeline.module.css';
import type { Row } from './tree.ts';

export interface WaterfallProps {
  rows: Row[];
  axis: Axis;
  /** When the trace began. */
  zero: number;
  now: number;
  selected: string | undefined;
  /** `look`: its attributes are shown; absent: as before. */
  onSelect(span: string, look?: true | null): void;
  onToggle(span: string, isClosed: boolean): void;
  onRange(range: Range): void;
}

export const ROW = 30;

export function Waterfall({ rows, axis, zero, now, selected, onSelect, onToggle, onRange }: WaterfallProps) {
  const box = useRef<HTMLDivElement>(null);
  const lines = useVirtualizer({ count: rows.length, getScrollElement: () => box.current, estimateSize: () => ROW, overscan: 10 });
  const at = rows.findIndex(({ span }) => span.span_id === selected);
  useEffect(() => {
    if (at >= 0) lines.scrollToIndex(at, { align: 'auto' });
  }, [at]);
  const move = (to: number, look?: true): void => {
    const row = rows[Math.min(Math.max(to, 0), rows.length - 1)];
    if (row) onSelect(row.span.span_id, look);
  };
  const onKey = (event: KeyboardEvent): void => {
    const row = rows[at];
    const act = {
      ArrowDown: () => move(at + 1),
      ArrowUp: () => move(at < 0 ? 0 : at - 1),
      PageDown: () => move(at + 15),
      PageUp: () => move(at - 15),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      Enter: () => move(at, true),
      Escape: () => row && onSelect(row.span.span_id, null),
      ArrowRight: () => row && (row.isClosed ? onToggle(row.span.span_id, false) : row.children > 0 && move(at + 1)),
      ArrowLeft: () => row && (row.children > 0 && !row.isClosed ? onToggle(row.span.span_id, true) : move(parentOf(rows, at))),
    }[event.key];
    if (!act || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  if (rows.length === 0) return <Empty title="No span has that.">Change the filter, or take &quot;Errors only&quot; out.</Empty>;
  const items = lines.getVirtualItems();
  return (
    <div className={styles.frame}>
      <AxisHeader axis={axis} zero={zero} onRange={onRange} />
      <div
        ref={box}
        className={styles.rows}
        role="treegrid"
        aria-label="Spans"
        aria-rowcount={rows.length}
        tabIndex={0}
        aria-activedescendant={items.some(({ index }) => index === at) ? `span-${selected}` : undefined}
        onKeyDown={onKey}
      >
        <div role="rowgroup" style={{ height: lines.getTotalSize(), position: 'relative' }}>
          <Strips axis={axis} />
          {items.map(({ index, start }) => {
            const row = rows[index];
            return (
              row && (
                <SpanRow
                  key={row.span.span_id}
                  row={row}
                  index={index}
                  start={start}
                  axis={axis}
                  now={now}
                  isSelected={index === at}
                  onSelect={onSelect}
                  onToggle={onToggle}
                />
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Where everything waited. */
function Strips({ axis }: { axis: Axis }) {
  return (
    <div className={styles.strips} role="presentation">
      {axis.segments.map(
        ({ isIdle, start, end, from }) =>
          isIdle && <div key={from} className={styles.strip} style={{ insetInlineStart: `${start * 100}%`, width: `${(end - start) * 100}%` }} />,
      )}
    </div>
  );
}

function parentOf(rows: readonly Row[], at: number): number {
  const depth = rows[at]?.depth ?? 0;
  for (let index = at - 1; index >= 0; index -= 1) if ((rows[index]?.depth ?? 0) < depth) return index;
  return at;
}

// The scale above the lines; a part of it that is drawn over becomes all that is shown.
import { useRef, useState, type PointerEvent } from 'react';
import { duration } from '../../../kit/time.ts';
import { type Axis, type Range, ticksOf } from './axis.ts';
import styles from './timeline.module.css';

const TICKS = 6;
const LEAST_DRAWN = 0.01;

export function AxisHeader({ axis, zero, onRange }: { axis: Axis; zero: number; onRange(range: Range): void }) {
  const place = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState<[number, number]>();
  const at = (event: PointerEvent): number => {
    const box = place.current?.getBoundingClientRect();
    if (!box || box.width === 0) return 0;
    const share = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
    return getComputedStyle(event.currentTarget).direction === 'rtl' ? 1 - share : share;
  };
  const begin = (event: PointerEvent): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    setDrawn([at(event), at(event)]);
  };
  const end = (): void => {
    if (!drawn) return;
    const [from, to] = drawn.toSorted((a, b) => a - b);
    setDrawn(undefined);
    if (from !== undefined && to !== undefined && to - from >= LEAST_DRAWN) onRange({ from: axis.timeAt(from), to: axis.timeAt(to) });
  };
  const [first = 0, second = 0] = drawn ?? [];
  return (
    <div className={styles.head}>
      <div className={styles.headName}>Span</div>
      <div
        ref={place}
        className={styles.axis}
        title="Drag over a part to zoom in"
        onPointerDown={begin}
        onPointerMove={(event) => drawn && setDrawn([first, at(event)])}
        onPointerUp={end}
        onPointerCancel={() => setDrawn(undefined)}
      >
        {ticksOf(axis, zero, TICKS).map(({ at: x, offset }) => (
          <span key={offset} className={styles.tick} style={{ insetInlineStart: `${x * 100}%` }} data-last={x > 0.9 || undefined}>
            {offset === 0 ? '0' : duration(offset)}
          </span>
        ))}
        {axis.segments.map(
          ({ isIdle, start, end: stop, from, to }) =>
            isIdle && (
              <span
                key={from}
                className={styles.gap}
                data-hint={`Everything waited for ${duration(to - from)}`}
                data-last={stop > 0.95 || undefined}
                data-first={start < 0.05 || undefined}
                style={{ insetInlineStart: `${start * 100}%`, width: `${(stop - start) * 100}%` }}
              >
                <span className={styles.gapWords}>{duration(to - from)}</span>
              </span>
            ),
        )}
        {drawn && (
          <span className={styles.drawn} style={{ insetInlineStart: `${Math.min(first, second) * 100}%`, width: `${Math.abs(second - first) * 100}%` }} />
        )}
      </div>
    </div>
  );
}

// Events as lines, however many: only those on screen are drawn. The payload is shown of the one that is
// selected.
import { Group, Skeleton, Text } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, type KeyboardEvent } from 'react';
import { useAhead } from '../../../kit/ahead.ts';
import { Empty } from '../../../kit/page.tsx';
import { duration } from '../../../kit/time.ts';
import { EventDetail } from './event-detail.tsx';
import styles from './events.module.css';
import type { JobEvent } from './log.ts';
import { isBad, eventTextOf } from './event-text.ts';
import type { JobEvents } from './use-job-events.ts';
import { number } from '../../../kit/number.ts';

const Kinds = lazy(async () => ({ default: (await import('./kinds.tsx')).Kinds }));

export interface EventSearch {
  /** Only these are shown. */
  kinds?: string[] | undefined;
  /** Sequence number of the one that is selected. */
  event?: number | undefined;
}

export interface EventListProps extends EventSearch {
  of: JobEvents;
  /** Why there are none, and none will come. */
  noEvents?: string | undefined;
  onSearch(search: EventSearch): void;
}

const ROW = 28;
const NEAR_END = 2 * ROW;

export function EventList({ of: { log, state, error }, kinds: keptKinds, event, noEvents, onSearch }: EventListProps) {
  const [{ kinds, event: seq }, change] = useAhead<EventSearch>({ kinds: keptKinds, event }, onSearch);
  const count = log.events.length;
  const shown = useMemo(() => (kinds ? log.events.filter(({ kind }) => kinds.includes(kind)) : log.events), [log, count, kinds]);
  const at = shown.findIndex((one) => one.seq === seq);
  const selected = shown[at];
  if (noEvents !== undefined) return <Empty title="There are no events.">{noEvents}</Empty>;
  if (count === 0)
    return (
      <Empty title={state === 'ended' || error ? 'It has no events.' : 'Nothing has happened yet.'}>
        {error ? error.message : 'Events come here as they happen.'}
      </Empty>
    );
  return (
    <div>
      <Group justify="space-between" mb="xs" gap="xs" align="end">
        <Suspense fallback={<Skeleton h={30} w={{ base: '100%', sm: 380 }} aria-busy />}>
          <Kinds kinds={log.kinds} chosen={kinds} onChoose={(chosen) => change({ kinds: chosen })} />
        </Suspense>
        <Text size="xs" c="dimmed" role="status">
          {shown.length === count ? number(count) : `${number(shown.length)} of ${number(count)}`} events
          {{ connecting: '', live: ', live', waiting: ', connection lost: trying again', ended: '' }[state]}
        </Text>
      </Group>
      <div className={styles.both} data-open={selected !== undefined || undefined}>
        <Lines events={shown} at={at} onSelect={(one) => change({ event: one?.seq })} isLive={state === 'live'} />
        {selected && <EventDetail event={selected} onClose={() => change({ event: undefined })} />}
      </div>
    </div>
  );
}

interface LinesProps {
  events: readonly JobEvent[];
  at: number;
  onSelect(event: JobEvent | undefined): void;
  isLive: boolean;
}

function Lines({ events, at, onSelect, isLive }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  // Who scrolled up reads something; who reads the end sees what comes.
  const isAway = useRef(false);
  const lastTop = useRef(0);
  const lines = useVirtualizer({ count: events.length, getScrollElement: () => box.current, estimateSize: () => ROW, overscan: 12 });
  const first = events[0];
  // In the frame that draws them: scrolled later, a box that grew looks for a moment as if somebody had
  // scrolled up.
  useLayoutEffect(() => {
    if (isLive && !isAway.current && at < 0 && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [events.length, isLive]);
  useEffect(() => {
    if (at >= 0) lines.scrollToIndex(at, { align: 'auto' });
  }, [at]);
  const onKey = (key: KeyboardEvent): void => {
    const move = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -events.length, End: events.length }[key.key];
    if (key.key === 'Escape') onSelect(undefined);
    if (move === undefined) return;
    key.preventDefault();
    onSelect(events[Math.min(Math.max(at + move, 0), events.length - 1)]);
  };
  const onScroll = (): void => {
    const { current } = box;
    if (!current) return;
    if (current.scrollTop < lastTop.current) isAway.current = true;
    if (current.scrollHeight - current.scrollTop - current.clientHeight < NEAR_END) isAway.current = false;
    lastTop.current = current.scrollTop;
  };
  return (
    <div
      ref={box}
      className={styles.lines}
      role="listbox"
      aria-label="Events"
      tabIndex={0}
      aria-activedescendant={lines.getVirtualItems().some(({ index }) => index === at) ? `event-${events[at]?.seq}` : undefined}
      onKeyDown={onKey}
      onScroll={onScroll}
    >
      <div style={{ height: lines.getTotalSize(), position: 'relative' }}>
        {lines.getVirtualItems().map(({ index, start }) => {
          const event = events[index];
          return (
            event &&
            first && (
              <Line
                key={event.seq}
                event={event}
                start={start}
                isSelected={index === at}
                from={first.at}
                place={index + 1}
                size={events.length}
                onSelect={onSelect}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

interface LineProps {
  event: JobEvent;
  start: number;
  isSelected: boolean;
  from: string;
  place: number;
  size: number;
  onSelect(event: JobEvent): void;
}

function Line({ event, start, isSelected, from, place, size, onSelect }: LineProps) {
  const { label, text } = eventTextOf(event);
  return (
    // The list has the keys: arrows move, Escape closes.
    <div
      id={`event-${event.seq}`}
      role="option"
      aria-selected={isSelected}
      aria-setsize={size}
      aria-posinset={place}
      className={styles.line}
      data-bad={isBad(event.kind) || undefined}
      style={{ transform: `translateY(${start}px)` }}
      onClick={() => onSelect(event)}
    >
      <span className={styles.time}>+{duration(Date.parse(event.at) - Date.parse(from))}</span>
      <span className={styles.label}>{label}</span>
      <bdi className={styles.text}>{text}</bdi>
    </div>
  );
}

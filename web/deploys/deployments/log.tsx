// The lines of a log: only those that are seen are drawn.
import { ActionIcon, Button, Group, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp, IconDownload, IconSearch } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react';
import { saveText } from '../../kit/save-text.ts';
import { type Level, LEVELS } from './level.ts';
import { type LogLine, matches } from './log-lines.ts';
import { piecesOf } from './pieces.ts';
import type { DeploymentLog } from './use-log.ts';
import styles from './log.module.css';
import { number } from '../../kit/number.ts';
import { clock } from '../../kit/time.ts';

const route = getRouteApi('/agents/mine/$name/deployments/$deployId');
const LINE_HEIGHT = 20;
const NEAR_END = 40;

interface LogProps {
  log: DeploymentLog;
  file: string;
  /** It is there, and lines may come. */
  onDrawn(isDrawn: boolean): void;
}

export function Log({ log: { log, version, stream }, file, onDrawn }: LogProps) {
  useEffect(() => onDrawn(true), [onDrawn]);
  const { q = '', level } = route.useSearch();
  const navigate = route.useNavigate();
  const pane = useRef<HTMLDivElement>(null);
  const top = useRef(0);
  const [follows, setFollows] = useState(true);
  const [at, setAt] = useState(0);
  const lines = useMemo(() => [...log.shown(level)], [log, version, level]);
  const hits = useMemo(() => matches(lines, q), [lines, q]);
  const rows = useVirtualizer({ count: lines.length, getScrollElement: () => pane.current, estimateSize: () => LINE_HEIGHT, overscan: 30 });
  useEffect(() => {
    if (follows && pane.current) pane.current.scrollTop = pane.current.scrollHeight;
  }, [follows, lines.length]);
  const setSearch = (change: { q?: string | undefined; level?: Level | undefined }): void =>
    void navigate({ search: (was) => ({ ...was, ...change }), replace: true, resetScroll: false });
  const search = useDebouncedCallback((text: string) => {
    setAt(0);
    setSearch({ q: text || undefined });
  }, 150);
  const go = (step: number): void => {
    const next = (at + step + hits.length) % Math.max(1, hits.length);
    setAt(next);
    setFollows(false);
    rows.scrollToIndex(hits[next] ?? 0, { align: 'center' });
  };
  // The first one is shown as soon as it is found.
  useEffect(() => {
    if (hits[0] === undefined) return;
    setFollows(false);
    rows.scrollToIndex(hits[0], { align: 'center' });
  }, [q, hits.length === 0]);
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    go(event.shiftKey ? -1 : 1);
  };
  const onScroll = (): void => {
    const { current } = pane;
    if (!current) return;
    const isUp = current.scrollTop < top.current - 1;
    top.current = current.scrollTop;
    if (current.scrollHeight - current.scrollTop - current.clientHeight < NEAR_END) setFollows(true);
    // New lines push the end away, too: only a reader who scrolls up leaves it.
    else if (isUp) setFollows(false);
  };
  return (
    <div>
      <Group gap="xs" mb="xs">
        <TextInput
          aria-label="Search the log"
          placeholder="Search: Enter, Shift+Enter"
          leftSection={<IconSearch size={15} />}
          defaultValue={q}
          onChange={(event) => search(event.currentTarget.value)}
          onKeyDown={onKey}
          style={{ flex: '1 1 14rem' }}
          maw={340}
        />
        <Text size="sm" c="dimmed" role="status" miw={70}>
          {q === '' ? '' : hits.length === 0 ? 'not found' : `${at + 1} of ${number(hits.length)}`}
        </Text>
        <Step label="Previous" onStep={() => go(-1)} off={hits.length === 0} up />
        <Step label="Next" onStep={() => go(1)} off={hits.length === 0} />
        <SegmentedControl
          size="xs"
          aria-label="Level"
          value={level ?? 'all'}
          onChange={(value) => setSearch({ level: LEVELS.find((one) => one === value) })}
          data={[
            { value: 'all', label: 'All' },
            { value: 'warn', label: 'Warnings' },
            { value: 'error', label: 'Errors' },
          ]}
        />
        <Button variant="default" size="xs" leftSection={<IconDownload size={14} />} onClick={() => saveText(file, log.text())}>
          Download
        </Button>
        {!follows && lines.length > 0 && (
          <Button variant="default" size="xs" leftSection={<IconArrowDown size={14} />} onClick={() => setFollows(true)}>
            To the end
          </Button>
        )}
      </Group>
      <div ref={pane} className={styles.pane} tabIndex={0} role="region" aria-label="Log" onScroll={onScroll}>
        {lines.length === 0 && <p className={styles.none}>{level === undefined ? NONE[stream] : 'No lines at this level.'}</p>}
        <div className={styles.all} style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const line = lines[index];
            return line && <Row key={line.number} line={line} top={start} query={q} isAt={hits[at] === index} />;
          })}
        </div>
      </div>
      <Group justify="space-between" mt={4}>
        <Text size="xs" c="dimmed">
          {number(lines.length)} {lines.length === 1 ? 'line' : 'lines'}
          {log.dropped > 0 && `; the first ${number(log.dropped)} are not kept in this page`}
        </Text>
        <Text size="xs" c="dimmed" role="status">
          {{ live: 'live', connecting: 'connecting', waiting: 'The connection was lost; it is tried again.', ended: '' }[stream]}
        </Text>
      </Group>
    </div>
  );
}

const NONE: Record<DeploymentLog['stream'], string> = {
  connecting: 'Reading the log …',
  live: 'Nothing was written yet.',
  waiting: 'The connection was lost; it is tried again.',
  ended: 'Nothing was written.',
};

function Step({ label, onStep, off, up }: { label: string; onStep: () => void; off: boolean; up?: true }) {
  return (
    <ActionIcon variant="default" aria-label={`${label} found line`} data-hint={label} onClick={onStep} disabled={off}>
      {up ? <IconArrowUp size={15} /> : <IconArrowDown size={15} />}
    </ActionIcon>
  );
}

const Row = memo(function Row({ line, top, query, isAt }: { line: LogLine; top: number; query: string; isAt: boolean }) {
  return (
    <div
      className={styles.row}
      style={{ transform: `translateY(${top}px)` }}
      data-level={line.level}
      data-source={line.source}
      {...(isAt && { 'data-at': true })}
    >
      <span className={styles.number}>{line.number}</span>
      <time className={styles.time} dateTime={line.at} title={line.at}>
        {clockAt(line.at)}
      </time>
      <span className={styles.text} dir="ltr">
        {piecesOf(line.shown, query).map(({ text, color, bold, dim, italic, underline, found }, at) => {
          const style = {
            ...(color !== undefined && { color }),
            ...(bold && { fontWeight: 700 }),
            ...(dim && { opacity: 0.85 }),
            ...(italic && { fontStyle: 'italic' }),
            ...(underline && { textDecoration: 'underline' }),
          };
          return found ? (
            <mark key={at}>{text}</mark>
          ) : (
            <span key={at} style={style}>
              {text}
            </span>
          );
        })}
        {line.cut > 0 && ` (${number(line.cut)} more characters are not kept)`}
      </span>
    </div>
  );
});

const clockAt = (at: string): string => (Number.isNaN(Date.parse(at)) ? '' : clock(new Date(at)));

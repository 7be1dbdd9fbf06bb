// The log of one deployment: what its job did, by its stream, and what the agent itself writes once it runs.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { BuildLine, lineText, WAITING_EVENT } from '#contract/deploys/build-line.ts';
import { pathTo } from '#contract/path-to.ts';
import type { DeploymentState } from '#contract/states.ts';
import { send } from '../../api/client.ts';
import { type StreamEvent, type StreamState, useEventStream } from '../../api/stream.ts';
import type { DeploymentOf } from './list.tsx';
import { LogLines, type RawLine } from './log-lines.ts';
import { isUnderWay } from './stages.ts';

export interface DeploymentLog {
  log: LogLines;
  /** Grows with every change of `log`. */
  version: number;
  /** Its place in the line of builds, and how long that takes; undefined: it does not wait. */
  waiting: string | undefined;
  /** As the stream said last. */
  state: DeploymentState | undefined;
  stages: ReadonlyMap<string, number>;
  stream: StreamState;
  error: Error | undefined;
}

/** What is known of the deployment that is followed. */
interface Followed {
  id: string;
  lines: LogLines;
  stages: Map<string, number>;
  seen: number;
  waiting: string | undefined;
}

const POLL_MS = 2_000;
const MOST = 2_000;
const DRAW_MS = 80;

/** `follows`: lines are asked for. */
export function useLog(name: string, one: DeploymentOf, follows: boolean): DeploymentLog {
  const { deploy_id } = one;
  const queryClient = useQueryClient();
  const log = useRef<Followed>(undefined);
  if (log.current?.id !== deploy_id) log.current = { id: deploy_id, lines: new LogLines(), stages: new Map(), seen: 0, waiting: undefined };
  const current = log.current;
  const [version, changed] = useVersion();
  const url = pathTo('GET /v1/agents/{name}/deployments/{deploy_id}/stream', { name, deploy_id });
  const { state: stream, error } = useEventStream(follows ? url : null, {
    onEvents(events) {
      const fresh = events.map(jobEvent).filter(({ seq }) => seq > current.seen);
      current.seen = fresh.at(-1)?.seq ?? current.seen;
      for (const { kind, stage, time } of fresh) if (kind === 'stage' && stage !== undefined) current.stages.set(stage, time);
      for (const { kind, text, stream } of fresh)
        if (kind === WAITING_EVENT) current.waiting = text;
        // What the platform notes beside does not say that a builder has it.
        else if (stream !== 'system') current.waiting = undefined;
      current.lines.add(fresh.flatMap(lineOf));
      changed();
      // The facts beside the log and the lists.
      if (fresh.some(({ kind }) => kind === 'stage')) void queryClient.invalidateQueries({ queryKey: ['agents'] });
    },
    isOver: async () => !isUnderWay((await send('agents', 'deployment', { params: { name, deploy_id } })).state),
  });
  useAgentLines({ name, deploy_id, on: stream === 'ended' && one.state === 'live' }, (lines) => {
    current.lines.add(lines);
    changed();
  });
  return {
    log: current.lines,
    version,
    waiting: current.waiting,
    state: isUnderWay(one.state) ? lastStage(current.stages) : one.state,
    stages: current.stages,
    stream,
    error,
  };
}

/** Counts changes, some times a second at most: a build that writes a lot does not draw as often. */
function useVersion(): [number, () => void] {
  const [version, setVersion] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return [
    version,
    () => {
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        setVersion((was) => was + 1);
      }, DRAW_MS);
    },
  ];
}

interface JobEvent {
  seq: number;
  kind: string;
  stage: string | undefined;
  text: string | undefined;
  stream: string | undefined;
  at: string;
  time: number;
}

/** Whatever is in it: an event is read, not believed. */
function jobEvent({ data }: StreamEvent): JobEvent {
  // Safe: `contract/runs/work-ledger.ts` says so of the stream; each member is looked at.
  const { seq, kind, payload = {}, at } = data as { seq: number; kind: string; payload?: Record<string, unknown>; at: string };
  const { error } = payload;
  const text =
    kind === 'log'
      ? payload.text
      : kind === 'stage'
        ? payload.stage
        : kind === WAITING_EVENT
          ? waitingText(payload)
          : typeof error === 'object' && error !== null && 'message' in error
            ? error.message
            : undefined;
  const written = kind === 'log' && typeof payload.at === 'number' ? payload.at : Date.parse(at);
  return { seq, kind, stage: textOf(payload.stage), text: textOf(text), stream: textOf(payload.stream), at: isoOf(written, at), time: Date.parse(at) };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const isoOf = (time: number, otherwise: string): string => (Math.abs(time) < 8e15 ? new Date(time).toISOString() : otherwise);

function waitingText(payload: unknown): string | undefined {
  const line = BuildLine.safeParse(payload).data;
  return line && lineText(line);
}

const MARKS: Record<string, string> = { stage: '● ' };

function lineOf({ kind, text, stream = 'system', at }: JobEvent): RawLine[] {
  if (text === undefined) return [];
  if (kind === 'log') return [{ at, source: 'build', stream, text }];
  if (kind === WAITING_EVENT) return [{ at, source: 'platform', stream: 'system', text: `○ waiting for a builder (${text})` }];
  return [{ at, source: 'platform', stream: 'system', text: `${MARKS[kind] ?? 'error: '}${text}` }];
}

const STATES: readonly DeploymentState[] = ['queued', 'building', 'starting', 'verifying', 'live', 'failed', 'cancelled'];

function lastStage(stages: ReadonlyMap<string, number>): DeploymentState | undefined {
  return STATES.findLast((state) => stages.has(state));
}

/** What the agent writes while it is live: asked for now and then, while the page is seen. */
function useAgentLines({ name, deploy_id, on }: { name: string; deploy_id: string; on: boolean }, add: (lines: RawLine[]) => void): void {
  const latest = useRef(add);
  useEffect(() => {
    latest.current = add;
  });
  const cursor = useRef<{ id: string; value: string | undefined }>({ id: deploy_id, value: undefined });
  useEffect(() => {
    if (!on) return undefined;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    if (cursor.current.id !== deploy_id) cursor.current = { id: deploy_id, value: undefined };
    const look = async (): Promise<void> => {
      if (document.visibilityState === 'visible') {
        try {
          const at = cursor.current.value;
          const query = { tail: MOST, ...(at !== undefined && { cursor: at }) };
          const page = await send('agents', 'deploymentLogs', { params: { name, deploy_id }, query }, { signal: stop.signal });
          if (stop.signal.aborted) return;
          cursor.current.value = page.cursor;
          const lines = page.lines.filter(({ source }) => source === 'agent');
          if (lines.length > 0) latest.current(lines);
        } catch {
          // An API that is away is asked again.
        }
      }
      if (!stop.signal.aborted) timer = setTimeout(() => void look(), POLL_MS);
    };
    void look();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [name, deploy_id, on]);
}

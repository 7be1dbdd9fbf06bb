// A run and its trace, kept up to date by the events of its job until it ends.
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { TraceOut } from '#contract/runs/traces.ts';
import { SVC } from '#contract/wire/trace-conventions.ts';
import { type JobEvents, useJobEvents } from './events/use-job-events.ts';
import { hasEnded, receiptOf, type Run, runInputQuery, runQuery, traceQuery } from './run-query.ts';

export interface ShownRun {
  agent: string;
  skill: string;
  state: Run['state'];
  isOver: boolean;
  trace: TraceOut;
  /** null: it has no record of its own. */
  run: Run | null;
  receiptId: string | null;
  startedAt: string;
  endedAt: string | null;
  events: JobEvents;
}

const SOON_MS = 250;
/** What runs below it do is not among its own events. */
const BELOW_MS = 3_000;

export function useRun(runId: string): ShownRun {
  const queryClient = useQueryClient();
  const { data: trace } = useSuspenseQuery({
    ...traceQuery(runId),
    refetchInterval: ({ state }) => (state.data && !traceEnded(state.data) ? BELOW_MS : false),
  });
  const [root] = trace.spans;
  const agent = root?.agent ?? '';
  const { data: run } = useSuspenseQuery({
    ...runQuery(agent, runId),
    refetchInterval: ({ state }) => (state.data && !hasEnded(state.data) ? BELOW_MS : false),
  });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const events = useJobEvents(run?.job_id ?? null, () => {
    // Many events at once are one look.
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queryClient.invalidateQueries({ queryKey: runQuery(agent, runId).queryKey });
      void queryClient.invalidateQueries({ queryKey: ['traces'] });
    }, SOON_MS);
  });
  const state = run?.state ?? stateOf(root?.attributes[SVC.runState]);
  return {
    agent,
    skill: run?.skill ?? String(root?.attributes[SVC.skill] ?? ''),
    state,
    isOver: hasEnded({ state }),
    trace,
    run,
    receiptId: run?.receipt_id ?? receiptOf(trace) ?? null,
    // As the timeline has them, so that both say the same.
    startedAt: root ? instant(root.start_ns) : (run?.started_at ?? instant('0')),
    endedAt: root?.end_ns ? instant(root.end_ns) : (run?.ended_at ?? null),
    events,
  };
}

/** What it was begun with. */
export function useRunInput(runId: string) {
  return useQuery(runInputQuery(runId));
}

const traceEnded = ({ spans }: TraceOut): boolean => spans.every(({ end_ns }) => end_ns !== null);
const instant = (ns: string): string => new Date(Number(ns) / 1e6).toISOString();
const STATES: readonly Run['state'][] = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'];
const stateOf = (value: unknown): Run['state'] => STATES.find((state) => state === value) ?? 'succeeded';

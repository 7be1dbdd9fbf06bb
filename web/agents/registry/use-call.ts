// The run that this page shows: the one of its address, followed from its first event, or the one that is
// begun here. A reload and a second tab show the same.
import { useEffect, useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { queries, read } from '../../api/query.ts';
import { newRequestId } from '../../kit/request-id.ts';
import { tell } from '../../kit/toasts.tsx';
import { cancelRun, followRun } from '../live/follow-run.ts';
import { type Called, type Change, hasEnded, type LiveCall, STARTING, withRun } from '../live/live.ts';
import { callHere } from './plain-call.ts';

export interface CallUse {
  /** Absent: no run is shown yet. */
  live: LiveCall | undefined;
  /** Nothing could be called, or the run cannot be read. */
  error: Error | undefined;
  isGoing: boolean;
  start(args: Record<string, unknown>): void;
  stop(): void;
}

interface Shown {
  runId: string | undefined;
  /** It ends with its connection. */
  isPlain: boolean;
  stop: AbortController;
}

type Work = (change: Change, now: () => LiveCall, shown: Shown) => Promise<void>;

export const keepingQuery = read('myRuns', 'keeping', {});

/** @param onRun the run begun here has an id: it belongs into the address */
export function useCall(called: Called, runId: string | undefined, onRun: (runId: string) => void): CallUse {
  const [live, setLive] = useState<LiveCall>();
  const [error, setError] = useState<Error>();
  const shown = useRef<Shown>(undefined);

  function leave(): void {
    shown.current?.stop.abort();
    shown.current = undefined;
    setLive(undefined);
    setError(undefined);
  }

  function show(id: string | undefined, work: Work): void {
    leave();
    const one: Shown = { runId: id, isPlain: false, stop: new AbortController() };
    shown.current = one;
    let now = STARTING;
    const change: Change = (how) => {
      now = how(now);
      if (!one.stop.signal.aborted) setLive(now);
    };
    work(change, () => now, one)
      .catch((reason: unknown) => {
        if (!one.stop.signal.aborted) setError(reason instanceof Error ? reason : new Error(String(reason)));
      })
      .finally(() => {
        for (const group of ['agentReceipts', 'myRuns', 'workLedger']) void queries().invalidateQueries({ queryKey: [group] });
      });
  }

  useEffect(() => {
    if (runId === undefined) leave();
    else if (shown.current?.runId !== runId) show(runId, (change, now, { stop }) => followRun(called, runId, { change, now, signal: stop.signal }));
  }, [runId]);
  useEffect(
    () => () => {
      shown.current?.stop.abort();
      shown.current = undefined;
    },
    [],
  );

  return {
    live,
    error,
    isGoing: live !== undefined && !hasEnded(live) && error === undefined,
    start(args) {
      show(undefined, async (change, now, one) => {
        const { signal } = one.stop;
        const named = (id: string): void => {
          one.runId = id;
          onRun(id);
        };
        change(() => ({ ...STARTING, startedAt: new Date(Date.now()).toISOString() }));
        const { kept } = await queries().ensureQueryData(keepingQuery);
        if (kept) {
          const run = await begin(called, args, signal);
          change((before) => withRun(before, run));
          named(run.run_id);
        } else {
          one.isPlain = true;
          const goesOn = await callHere(called, args, { change, now, signal, onRun: named });
          one.isPlain = false;
          if (!goesOn) return;
          // Its events come again, from the first.
          change(() => STARTING);
        }
        await followRun(called, one.runId ?? '', { change, now, signal });
      });
    },
    stop() {
      const one = shown.current;
      if (!one) return;
      if (one.runId !== undefined) void cancelRun(called, one.runId).catch(tell.failed);
      if (!one.isPlain) return;
      one.stop.abort();
      setLive((now) => now && (hasEnded(now) ? now : { ...now, state: 'cancelled', waits: [] }));
    },
  };
}

/** Sent twice it is one run. */
function begin({ agent, skill }: Called, body: Record<string, unknown>, signal: AbortSignal) {
  return client.agents.startRun({ params: { name: agent, skill_name: skill }, headers: { 'idempotency-key': newRequestId() }, body }, { signal });
}

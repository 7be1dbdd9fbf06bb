// One call of a skill with its events. When its connection breaks after it waited for a user, it continues as
// a durable run, which this hook then follows.
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '#contract/client.ts';
import { pathTo } from '#contract/path-to.ts';
import { readEvents } from '#contract/wire/event-stream.ts';
import { client, type Output } from '../../api/client.ts';
import { queries } from '../../api/query.ts';
import { follow, MOST_EVENT_CHARACTERS } from '../../api/stream.ts';
import { tell } from '../../kit/toasts.tsx';
import { asks, type Called, eventOf, hasEnded, type LiveCall, STARTING, take, waitsIn, withRun } from './live.ts';

export interface CallUse {
  /** Absent: nothing was called yet. */
  live: LiveCall | undefined;
  /** Nothing could be called, or the connection broke for good. */
  error: Error | undefined;
  isGoing: boolean;
  start(args: Record<string, unknown>): void;
  stop(): void;
}

type Run = Output<'agents', 'startRun'>;
type Change = (change: (live: LiveCall) => LiveCall) => void;

export function useCall(called: Called): CallUse {
  const [live, setLive] = useState<LiveCall>();
  const [error, setError] = useState<Error>();
  const [isGoing, setGoing] = useState(false);
  const stopping = useRef<AbortController>(undefined);
  const { agent, skill } = called;
  useEffect(
    () => () => {
      stopping.current?.abort();
      setLive(undefined);
      setError(undefined);
      setGoing(false);
    },
    [agent, skill],
  );
  return {
    live,
    error,
    isGoing,
    start(args) {
      stopping.current?.abort();
      const stop = new AbortController();
      stopping.current = stop;
      let now = STARTING;
      const change: Change = (how) => {
        now = how(now);
        if (!stop.signal.aborted) setLive(now);
      };
      setLive(STARTING);
      setError(undefined);
      setGoing(true);
      void run(called, args, change, () => now, stop.signal)
        .catch((reason: unknown) => {
          if (!stop.signal.aborted) setError(reason instanceof Error ? reason : new Error(String(reason)));
        })
        .finally(() => {
          if (stopping.current !== stop) return;
          setGoing(false);
          void queries().invalidateQueries({ queryKey: ['agentReceipts'] });
        });
    },
    stop() {
      stopping.current?.abort();
      if (live?.runId !== undefined) void cancelDurableRun(called, live.runId).catch(tell.failed);
      setGoing(false);
      setLive((now) => now && (hasEnded(now) ? now : { ...now, state: 'cancelled', waits: [] }));
    },
  };
}

async function run(called: Called, args: Record<string, unknown>, change: Change, now: () => LiveCall, signal: AbortSignal): Promise<void> {
  const response = await client.agents.invoke(
    { params: { name: called.agent, skill_name: called.skill }, body: args },
    { signal, headers: { accept: 'text/event-stream' } },
  );
  if (response.status === 202) {
    const startedRun = asRun(await response.json());
    change((live) => withRun(live, startedRun));
    return goOn(called, change, now, signal);
  }
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const value: unknown = await response.json();
    return change((live) => ({
      ...live,
      state: 'succeeded',
      result: { value },
      runId: response.headers.get('x-svc-run-id') ?? live.runId,
      receiptId: response.headers.get('x-svc-receipt-id') ?? live.receiptId,
    }));
  }
  await listen(response, called, change, now, signal).catch((error: unknown) => {
    if (signal.aborted) throw error;
  });
  if (!hasEnded(now())) await goOn(called, change, now, signal);
}

async function listen(response: Response, called: Called, change: Change, now: () => LiveCall, signal: AbortSignal): Promise<void> {
  if (!response.body) return;
  for await (const { data } of readEvents(response.body, { maxLength: MOST_EVENT_CHARACTERS, resumes: true })) {
    const event = eventOf(JSON.parse(data));
    if (event) change((live) => take(live, event));
    if (event && asks(event)) await readWaits(called, change, now, signal);
  }
}

async function readRun(params: { name: string; run_id: string }, signal?: AbortSignal): Promise<Run> {
  return asRun(await (await client.agents.run({ params }, { ...(signal && { signal }), headers: { accept: 'application/json' } })).json());
}

async function readWaits({ agent }: Called, change: Change, now: () => LiveCall, signal: AbortSignal): Promise<void> {
  const { runId } = now();
  if (runId === undefined) return;
  const run = await readRun({ name: agent, run_id: runId }, signal);
  change((live) => (live.state === 'waiting' ? { ...live, waits: waitsIn(run) } : live));
}

/** A run that had to wait is held by the platform: it does not end with its connection. */
async function cancelDurableRun({ agent }: Called, runId: string): Promise<void> {
  const run = await readRun({ name: agent, run_id: runId });
  const isOver = run.state === 'succeeded' || run.state === 'failed' || run.state === 'cancelled';
  if (run.job_id !== null && !isOver) await client.workLedger.cancel({ params: { job_id: run.job_id } });
}

/** The stream ended without a result: the run may continue all the same. */
async function goOn(called: Called, change: Change, now: () => LiveCall, signal: AbortSignal): Promise<void> {
  const { runId, seen } = now();
  if (runId === undefined) throw new Error('The connection broke before the agent answered. Try again.');
  const params = { name: called.agent, run_id: runId };
  const read = (): Promise<Run> => readRun(params, signal);
  const first = await read();
  change((live) => withRun(live, first));
  if (hasEnded(now())) return;
  if (first.job_id === null) throw new Error('The connection broke, and the call ended with it. Start it as a durable run, and it outlives its connection.');
  let toSkip = seen;
  await follow(pathTo('GET /v1/agents/{name}/api/runs/{run_id}', params), {
    signal,
    onEvents: (events) => {
      for (const { data } of events) {
        const event = eventOf(data);
        if (event?.kind.startsWith('run.')) {
          toSkip -= 1;
          if (toSkip < 0) change((live) => take(live, { ...event, kind: event.kind.slice('run.'.length) }));
        } else if (event) void read().then((held) => change((live) => withRun(live, held)), ignore);
      }
    },
    isOver: async () => {
      const currentRun = await read();
      change((live) => withRun(live, currentRun));
      return hasEnded(now());
    },
  });
}

/** The next event, or the end of the stream, reads it again. */
function ignore(error: unknown): void {
  if (!(error instanceof ApiError) && !(error instanceof TypeError) && !(error instanceof DOMException)) throw error;
}

// Safe: the contract says that the route answers so.
function asRun(answer: unknown): Run {
  return answer as Run;
}

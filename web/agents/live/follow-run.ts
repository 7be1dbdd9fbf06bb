// A run from its first event on, as its own page and any tab can read it.
import { ApiError } from '#contract/client.ts';
import { pathTo } from '#contract/path-to.ts';
import { client, type Output } from '../../api/client.ts';
import { follow, type StreamEvent } from '../../api/stream.ts';
import { type Called, type Change, eventOf, hasEnded, type LiveCall, withOutput, withRun } from './live.ts';

type Run = Output<'agents', 'startRun'>;

export interface Following {
  change: Change;
  now: () => LiveCall;
  signal: AbortSignal;
}

const PLAIN_EVERY_MS = 1_000;
const OF_AGENT = 'run.';

export async function followRun({ agent }: Called, runId: string, { change, now, signal }: Following): Promise<void> {
  const params = { name: agent, run_id: runId };
  const look = async (): Promise<Run> => {
    const run = await readRun(params, signal);
    change((live) => withRun(live, run));
    return run;
  };
  const first = await look();
  if (first.job_id === null) return untilEnded(look, now, signal);
  const lookAgain = oneAtATime(look);
  await follow(pathTo('GET /v1/agents/{name}/api/runs/{run_id}', params), {
    signal,
    onEvents(events) {
      change((live) => events.reduce(withEvent, live));
      // Only the platform says how the run stands, what it asks and what came of it.
      if (events.some(changesRun)) lookAgain();
    },
    isOver: async () => {
      await look();
      return hasEnded(now());
    },
  });
}

export async function readRun(params: { name: string; run_id: string }, signal?: AbortSignal): Promise<Run> {
  return asRun(await (await client.agents.run({ params }, { ...(signal && { signal }), headers: { accept: 'application/json' } })).json());
}

/** A plain call has no job: it ends with its connection. */
export async function cancelRun({ agent }: Called, runId: string): Promise<void> {
  const { job_id, ended_at } = await readRun({ name: agent, run_id: runId });
  if (job_id !== null && ended_at === null) await client.workLedger.cancel({ params: { job_id } });
}

function withEvent(live: LiveCall, { data }: StreamEvent): LiveCall {
  const event = eventOf(data);
  return event?.kind.startsWith(OF_AGENT) ? withOutput(live, { ...event, kind: event.kind.slice(OF_AGENT.length) }) : live;
}

function changesRun({ data }: StreamEvent): boolean {
  const kind = eventOf(data)?.kind ?? '';
  return kind === 'run.status' || !kind.startsWith(OF_AGENT);
}

/** Only its record tells of a plain call. */
async function untilEnded(look: () => Promise<Run>, now: () => LiveCall, signal: AbortSignal): Promise<void> {
  while (!hasEnded(now()) && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, PLAIN_EVERY_MS));
    await look();
  }
}

function oneAtATime(look: () => Promise<unknown>): () => void {
  let isLooking = false;
  let isOld = false;
  const start = async (): Promise<void> => {
    isLooking = true;
    do {
      isOld = false;
      await look().catch(ifBroken);
    } while (isOld);
    isLooking = false;
  };
  return () => {
    isOld = true;
    if (!isLooking) void start();
  };
}

/** The next event, or the end of the stream, reads it again. */
function ifBroken(error: unknown): void {
  if (!(error instanceof ApiError) && !(error instanceof TypeError) && !(error instanceof DOMException)) throw error;
}

// Safe: the contract says that the route answers so.
function asRun(answer: unknown): Run {
  return answer as Run;
}

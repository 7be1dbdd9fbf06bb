// An event stream that breaks and continues where it stopped: nothing twice, nothing lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '#contract/client.ts';
import { CliError, isConnectionFailure } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import type { Output } from './output.ts';
import { readEvents, type SseEvent } from './sse.ts';

const FIRST_WAIT_MS = 250;
const LAST_WAIT_MS = 5_000;
const MAX_FAILURES = 40;

export interface Resumable {
  /** Asks for what comes after that event. */
  open: (lastEventId: string | undefined) => Promise<Response>;
  /** Asked when a stream has ended: is there nothing more to come? */
  over: () => Promise<boolean>;
  signal: AbortSignal;
  output: Output;
  /** The message when there is no answer for minutes. */
  goesOn: string;
  /** What was seen before. */
  after?: string | undefined;
}

/** @throws CliError when there is no answer for long; the refusal of the API; the signal's reason */
export async function* resume({ open, over, signal, output, goesOn, after }: Resumable): AsyncGenerator<SseEvent> {
  let last = after;
  for (let failures = 0; ;) {
    try {
      for await (const event of readEvents(await open(last), { resumes: true })) {
        last = event.id ?? last;
        failures = 0;
        yield event;
      }
      if (await over()) return;
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
    }
    failures += 1;
    if (failures > MAX_FAILURES) throw new CliError(`The control plane has not answered for minutes. ${goesOn}`, EXIT.unreachable);
    if (failures === 3) output.note('Lost the connection to the control plane; trying again …');
    await sleep(Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 8)), undefined, { signal });
  }
}

/** The same for one question. */
export async function persist<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await ask();
    } catch (error) {
      if (signal?.aborted || !isPassing(error) || failures >= 8) throw error;
      await sleep(Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures), undefined, signal && { signal });
    }
  }
}

/** Worth another try: the connection broke, or the server is starting or busy. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 502 || error.status === 429;
  return isConnectionFailure(error) || (error instanceof TypeError && /terminated|fetch failed/.test(error.message));
}

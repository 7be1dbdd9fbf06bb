// What an agent is busy with, for the host, which puts its process to sleep: work, as opposed to waiting for
// a person. A run without a reader is work; a stream or a call whose run waits for an answer is not, for
// nothing happens until the answer comes.
import type { ServerResponse } from 'node:http';
import type { Executor } from './executor.ts';

export interface ActivityReport {
  /**
   * Runs that run, requests that are being answered otherwise, and writes to the platform. 0: nothing happens
   * here until the next request.
   */
  working: number;
  /** Requests and runs that have not ended, those that wait too. */
  open: number;
  /** Runs that wait for a person. */
  waiting: number;
}

type Runs = Pick<Executor, 'running' | 'open' | 'waiting' | 'writing' | 'requestIds'>;

export class Activity {
  readonly #executor: Runs;
  readonly #requests = new Map<ServerResponse, { requestId: string; at: number }>();

  constructor(executor: Runs) {
    this.#executor = executor;
  }

  begin(response: ServerResponse, requestId: string): void {
    this.#requests.set(response, { requestId, at: performance.now() });
    response.once('close', () => this.#requests.delete(response));
  }

  /**
   * Begun before `since` (performance.now()) and without an answer; `of` one request, or of all whose run is
   * not open.
   */
  unanswered(since: number, of?: string): { response: ServerResponse; requestId: string }[] {
    const ofRuns = this.#executor.requestIds();
    return [...this.#requests].flatMap(([response, { requestId, at }]) => {
      const wanted = of === undefined ? !ofRuns.has(requestId) && !response.headersSent && at <= since : requestId === of;
      return wanted && !response.writableEnded ? [{ response, requestId }] : [];
    });
  }

  report(): ActivityReport {
    const { running, open, waiting, writing } = this.#executor;
    const ofRuns = this.#executor.requestIds();
    let working = running + writing;
    for (const [response, { requestId }] of this.#requests) if (isWork(response, ofRuns.has(requestId))) working += 1;
    return { working, open: this.#requests.size + open, waiting };
  }
}

/**
 * A request counts as work until its run has started, which then counts itself, or its stream is open. A
 * request with unsent bytes counts, too.
 */
function isWork(response: ServerResponse, hasRun: boolean): boolean {
  return response.writableLength > 0 || (!response.headersSent && !hasRun);
}

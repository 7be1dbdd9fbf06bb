// Beside a run's stream: how long the run has worked, whether it waits for a person, whether its time is up.
// By a clock that no one sets: the machine's own may jump by an hour.
import type { Ctx } from '../../kernel/ctx.ts';
import { isOpenRun } from '../../kernel/run-state.ts';
import type { AgentRunEvent } from './record.ts';

/** A run that waits is no longer read after so much silence. */
const quietMs = 2_000;
/** Where the agent did not announce a wait. */
const lookMs = 15_000;
/** Beyond the skill's own limit, which its runtime enforces: the agent's queue, and reporting the end. */
const marginMs = 120_000;

export interface RunClock {
  received(events: readonly AgentRunEvent[]): void;
  /** Milliseconds worked since this was last asked. */
  ran(): number;
  waits(): boolean;
  timeUp(): boolean;
  end(): void;
}

export function watchRun(ctx: Ctx, i: { runId: string; ranMs: number; maxMs: number; stop: () => void }): RunClock {
  let since: number | undefined = performance.now();
  let total = i.ranMs;
  let reported = i.ranMs;
  let state: 'reading' | 'waiting' | 'late' | 'ended' = 'reading';
  let announced = false;
  // An agent that announced a wait and has none is not believed again.
  let believed = true;
  const pauseClock = (): void => {
    if (since !== undefined) total += performance.now() - since;
    since = undefined;
  };
  const stop = (why: 'waiting' | 'late'): void => {
    state = why;
    i.stop();
  };
  let look = setTimeout(() => void check(), quietMs);
  const late = setInterval(() => {
    if (state === 'reading' && total + (since === undefined ? 0 : performance.now() - since) > i.maxMs + marginMs) stop('late');
  }, 5_000);

  async function check(): Promise<void> {
    const timer = look;
    const row = await ctx
      .db('runs')
      .where({ run_id: i.runId })
      .first('state')
      .catch(() => undefined);
    // New events came meanwhile, or reading has ended.
    if (state !== 'reading' || look !== timer) return;
    if (row && (row.state === 'waiting' || !isOpenRun(row))) return stop('waiting');
    if (announced) believed = false;
    since ??= performance.now();
    look = setTimeout(() => void check(), lookMs);
  }

  return {
    received(events) {
      const hint = announcesWait(events.at(-1));
      if (hint && believed) pauseClock();
      else since ??= performance.now();
      announced = hint;
      clearTimeout(look);
      look = setTimeout(() => void check(), hint ? quietMs : lookMs);
    },
    ran() {
      const now = total + (since === undefined ? 0 : performance.now() - since);
      const more = Math.round(now - reported);
      reported += more;
      return more;
    },
    waits: () => state === 'waiting',
    timeUp: () => state === 'late',
    end() {
      if (state === 'reading') state = 'ended';
      clearTimeout(look);
      clearInterval(late);
    },
  };
}

function announcesWait(event: AgentRunEvent | undefined): boolean {
  return event?.kind === 'question' || event?.kind === 'scope_request' || (event?.kind === 'status' && event.payload['state'] === 'waiting');
}

// A job whose rows say how far it is: step after step until they say that it has ended. The workflow only
// keeps it going.
import { CancellationScope, condition, isCancellation, setHandler } from '@temporalio/workflow';
import { childEnded } from './messages.ts';
import { isLong, type Pace, pauseAfter } from './pace.ts';

interface Fault {
  code: string;
  message: string;
}

export interface Steps {
  deadline_at: number;
  advance: () => Promise<'again' | 'waits' | 'ended'>;
  /** Tried until it is written: without an end the job would be open for ever. */
  end: (fault: Fault) => Promise<void>;
  /** The signal of a run's end comes first; what ends without one is looked at. */
  pace: Pace;
  cancelled: string;
  failed: Fault;
}

/** Resolves with `long` where the history has grown long: then the workflow continues as new. */
export async function stepByStep({ deadline_at, advance, end, pace, cancelled, failed }: Steps): Promise<'ended' | 'long'> {
  let news = 0;
  let waitsSince: number | undefined;
  setHandler(childEnded, () => void (news += 1));
  try {
    for (;;) {
      const seen = news;
      const step = await advance();
      if (step === 'ended') return 'ended';
      if (step === 'waits') {
        waitsSince ??= Date.now();
        const pause = pauseAfter(Date.now() - waitsSince, pace);
        if (await condition(() => news > seen, Math.max(1, Math.min(pause, deadline_at - Date.now())))) waitsSince = undefined;
      } else waitsSince = undefined;
      if (isLong()) return 'long';
    }
  } catch (error) {
    if (!isCancellation(error) && !(error instanceof Error && error.name === 'ActivityFailure')) throw error;
    await CancellationScope.nonCancellable(() => end(isCancellation(error) ? { code: 'cancelled', message: cancelled } : failed));
    return 'ended';
  }
}

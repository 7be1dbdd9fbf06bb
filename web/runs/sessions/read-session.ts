import { ApiError } from '#contract/client.ts';
import type { SessionLine } from '#contract/wire/session.ts';
import { client } from '../../api/client.ts';
import { linesOf } from '../../api/lines.ts';
import type { SessionLog } from './session-log.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
/** Lines between two looks at the screen. */
const TOGETHER = 200;

/**
 * To the line that signs it, however often the connection breaks. @throws ApiError for what the API refuses
 */
export async function readSession(id: string, log: SessionLog, onNews: () => void, signal: AbortSignal): Promise<void> {
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted && !log.seal && log.fault === undefined) {
    try {
      const response = await client.agentSessions.get({ params: { session_id: id }, query: { after: log.events.length } }, { signal });
      for await (const line of linesOf(response)) {
        await log.add(asLine(JSON.parse(line)));
        wait = FIRST_WAIT_MS;
        if (log.events.length % TOGETHER === 0) onNews();
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.status < 500) throw error;
    }
    onNews();
    if (log.seal) return;
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

// Safe: the route's contract, to which the API keeps; what it says is then checked by its hashes.
function asLine(value: unknown): SessionLine {
  return value as SessionLine;
}

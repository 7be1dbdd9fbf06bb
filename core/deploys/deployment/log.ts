// Log lines of a deployment: gathered for a moment and appended together, so that a chatty build costs few
// transactions.
import { isFinal, type LogLine, RuntimeError } from '#drivers/runtime/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { appendEvents } from '../../jobs/append-event.ts';

export interface DeploymentLog {
  line: (line: Omit<LogLine, 'seq'>) => void;
  /** A sentence of the platform's own. */
  platform: (text: string) => void;
  /** Writes what is left; resolves when it is stored. */
  close: () => Promise<void>;
}

const flushEveryMs = 150;
const flushAtLines = 200;
const maxLineLength = 4_000;
/** Beyond this the rest of the output is counted, not kept. */
const maxLines = 20_000;

/**
 * The lines of one step are stored whatever its outcome. An error that a retry may mend is one of them; a
 * final one is in the deployment's own end.
 */
export async function withDeploymentLog(ctx: Ctx, jobId: string, signal: AbortSignal, step: (log: DeploymentLog) => Promise<void>): Promise<void> {
  const log = deploymentLog(ctx, jobId);
  try {
    await step(log);
  } catch (error) {
    if (error instanceof RuntimeError && !isFinal(error) && !signal.aborted) log.platform(error.message);
    throw error;
  } finally {
    await log.close();
  }
}

export function deploymentLog(ctx: Ctx, jobId: string): DeploymentLog {
  let pending: { kind: string; payload: Record<string, unknown> }[] = [];
  let writing: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let taken = 0;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const batch = pending;
    pending = [];
    // A database that is away must not fail the build for its log's sake; the stages themselves are retried.
    writing = writing.then(() => appendEvents(ctx.db, jobId, batch)).catch(() => undefined);
  };
  const line = ({ at, stream, text }: Omit<LogLine, 'seq'>): void => {
    taken += 1;
    if (taken > maxLines + 1) return;
    const content = taken > maxLines ? `Output is longer than ${maxLines} lines: the rest is not kept` : text.slice(0, maxLineLength);
    pending.push({ kind: 'log', payload: { at, stream, text: content } });
    if (pending.length >= flushAtLines) flush();
    else timer ??= setTimeout(flush, flushEveryMs);
  };
  return {
    line,
    platform: (text) => line({ at: ctx.clock(), stream: 'system', text }),
    close: async () => {
      flush();
      await writing;
    },
  };
}

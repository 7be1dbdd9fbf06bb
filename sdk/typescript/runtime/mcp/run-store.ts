// Runs whose clients come back, as the platform stores them: tasks, and calls that asked something. Any
// version of the agent finds them again.
import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { MAX_TASK_SECONDS } from '../../../../contract/run/protocol-tasks.ts';
import { CancelledByCaller } from '../../authoring/errors.ts';
import type { Executor } from '../executor.ts';
import { type CallersTasks, fits, identityOf, type StoredTask, type TaskToWrite } from '../stored-tasks.ts';
import type { RunPlatform } from '../platform.ts';
import { TaskWriter } from '../task-writer.ts';
import type { AttendedRun } from './attended.ts';
import type { Caller } from './caller.ts';
import { retentionMs } from './retained-runs.ts';
import { BROKEN, outcomeOf, tooLargeOutcome, unknownOutcome } from './outcome.ts';

const Snapshot = z.object({
  skill: z.string(),
  isTask: z.boolean(),
  createdAt: z.string(),
  changedAt: z.string(),
  outcome: z.looseObject({ status: z.string() }).nullable(),
});

/** A list of tools does not wait longer. */
const LIST_PATIENCE_MS = 2_000;

/** A run that is in another machine, or was. */
export interface StoredRun extends z.infer<typeof Snapshot> {
  runId: string;
}

export class RunStore {
  readonly #executor: Executor;
  readonly #platform: RunPlatform;
  readonly #agent: string;
  readonly #onError: (error: unknown) => void;

  constructor(executor: Executor, { platform, agent, onError }: { platform: RunPlatform; agent: string; onError: (error: unknown) => void }) {
    this.#executor = executor;
    this.#platform = platform;
    this.#agent = agent;
    this.#onError = onError;
  }

  /**
   * From now on it may continue without this request: the platform finds it and its outcome, and so does
   * every version of the agent.
   */
  add(runId: string, run: AttendedRun, { origin, requestId }: Caller): void {
    run.detach(this.#executor, requestId);
    const { runToken: token } = origin;
    // What continues with a run comes with a credential of its own, which writes nothing.
    if (run.writer || run.ended || token === undefined || origin.runId !== runId || !this.#platform.taskOf) return;
    const read = (): TaskToWrite => written(run, this.#executor.pending.open(runId).map(({ id }) => id), requestId); // prettier-ignore
    const writer = new TaskWriter({ task: this.#platform.taskOf({ token, requestId }, runId), read, executor: this.#executor, onError: this.#onError });
    run.writer = writer;
    writer.changed();
    this.#executor.endAfter(runId, () => writer.saved());
  }

  async find(runId: string, caller: Caller): Promise<StoredRun | undefined> {
    const task = await this.#of(caller)?.get(runId);
    return task && readBack(task);
  }

  async hasQuestionsFor(caller: Caller): Promise<boolean> {
    const quick = { ...caller, gone: AbortSignal.any([caller.gone, AbortSignal.timeout(LIST_PATIENCE_MS)]) };
    const asking = await this.#of(quick)
      ?.list({ limit: 1, open: true })
      .catch(() => undefined);
    return asking !== undefined && asking.total > 0;
  }

  #of(caller: Caller): CallersTasks | undefined {
    if (caller.origin.runToken === undefined) return undefined;
    return this.#platform.caller(identityOf(this.#agent, caller)).tasks?.({ protocol: 'mcp', owner: caller.owner.key });
  }
}

function written(run: AttendedRun, questions: readonly string[], requestId: string): TaskToWrite {
  const { skill, isTask, createdAt, changedAt, ended } = run;
  const facts = { skill, isTask, createdAt, changedAt };
  const whole = JSON.stringify({ ...facts, outcome: ended ? outcomeOf(run, requestId) : null });
  return {
    protocol: 'mcp',
    owner: run.owner,
    contextKey: null,
    status: ended ? 'ended' : questions.length > 0 ? 'input_required' : 'working',
    over: ended,
    questions,
    snapshot: fits(whole) ? whole : JSON.stringify({ ...facts, outcome: tooLargeOutcome() }),
    retentionSeconds: ended ? Math.ceil(retentionMs(run) / 1000) : MAX_TASK_SECONDS,
  };
}

function readBack({ id, snapshot, endedAs }: StoredTask): StoredRun {
  const run = Snapshot.parse(JSON.parse(snapshot));
  const outcome = run.outcome ?? (endedAs === null ? null : unknownOutcome(endedAs));
  return { ...run, runId: id, outcome };
}

/** What the call is answered with; undefined: it goes on, and its machine cannot be reached. */
export function resultOf({ outcome }: StoredRun): CallToolResult | undefined {
  if (outcome === null) return undefined;
  if (outcome.status === 'cancelled') throw new CancelledByCaller();
  if (outcome.status === 'failed') throw new ProtocolError(BROKEN.code, BROKEN.message);
  const { resultType: _, ...result } = { ...(outcome['result'] as CallToolResult & { resultType?: string }) }; // as outcomeOf() made it
  return result;
}

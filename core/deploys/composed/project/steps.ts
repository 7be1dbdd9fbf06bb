// Calls the skills of other agents, each as soon as what it takes is there. Copied into every composed agent;
// it imports nothing.

export interface Step {
  /** `agent.skill`; `agent.skill_2` where a skill is called again. */
  id: string;
  agent: string;
  skill: string;
  /** Texts `$input.name` and `$agent.skill.path` stand for values; `$$` begins a plain text. */
  args: Readonly<Record<string, unknown>>;
  /** false: the rest is done without it when it fails. */
  required: boolean;
  /** It may be called again after a failure without harm. */
  repeatable: boolean;
}

export interface Limits {
  /** Calls at the same time. */
  maxParallel: number;
  /** Failed calls that are made again, in all. */
  maxReplans: number;
}

interface StepOutcome {
  id: string;
  state: 'succeeded' | 'failed' | 'skipped';
  attempts: number;
  grant_id: string | null;
  error: { code: string; message: string } | null;
}

export interface Outcome {
  /** By step. */
  results: Record<string, unknown>;
  steps: StepOutcome[];
}

/** What of the run context is used. */
export interface Caller {
  call(agent: string, skill: string, args: Record<string, unknown>): Promise<{ result: unknown; grantId: string | null }>;
  emitProgress(message: string, done?: { progress: number; total?: number }): Promise<void>;
  checkCancelled(): void;
}

/** A step that is required failed; `outcome` says what was done until then. */
export class StepFailed extends Error {
  readonly outcome: Outcome;
  constructor(id: string, error: { code: string; message: string }, outcome: Outcome) {
    super(`${id} failed: ${error.message} (${error.code})`);
    this.name = 'StepFailed';
    this.outcome = outcome;
  }
}

/** @throws StepFailed; what a cancelled run throws */
export async function runSteps(caller: Caller, steps: readonly Step[], input: Readonly<Record<string, unknown>>, limits: Limits): Promise<Outcome> {
  const outcomes = new Map<string, StepOutcome>();
  const results: Record<string, unknown> = {};
  const working = new Map<string, Promise<void>>();
  let replans = limits.maxReplans;
  const soFar = (): Outcome => ({ results, steps: steps.flatMap(({ id }) => outcomes.get(id) ?? []) });
  const failure = (): StepOutcome | undefined =>
    steps.flatMap(({ id, required }) => (required ? (outcomes.get(id) ?? []) : [])).find(({ state }) => state !== 'succeeded');

  const perform = async (step: Step): Promise<void> => {
    for (let attempts = 1; ; attempts += 1) {
      try {
        const args = valuesOf(step.args, { input, results });
        const { result, grantId } = await caller.call(step.agent, step.skill, args);
        results[step.id] = result;
        outcomes.set(step.id, { id: step.id, state: 'succeeded', attempts, grant_id: grantId, error: null });
      } catch (error) {
        caller.checkCancelled();
        if (step.repeatable && replans > 0) {
          replans -= 1;
          continue;
        }
        outcomes.set(step.id, { id: step.id, state: 'failed', attempts, grant_id: null, error: faultOf(error) });
      }
      await caller.emitProgress(`${step.id}: ${outcomes.get(step.id)?.state}`, { progress: outcomes.size, total: steps.length });
      return;
    }
  };

  /** Starts what can start, as far as there is room, and leaves out what cannot have what it takes. */
  const startReady = (): void => {
    for (const step of steps) {
      if (working.size >= limits.maxParallel || failure()) return;
      if (outcomes.has(step.id) || working.has(step.id)) continue;
      const needed = stepsNeeded(step.args);
      const lost = needed.find((id) => outcomes.has(id) && !Object.hasOwn(results, id));
      if (lost !== undefined) outcomes.set(step.id, skipped(step.id, lost));
      else if (needed.every((id) => Object.hasOwn(results, id)))
        working.set(
          step.id,
          perform(step).finally(() => working.delete(step.id)),
        );
    }
  };

  try {
    for (;;) {
      caller.checkCancelled();
      const before = outcomes.size;
      startReady();
      if (working.size > 0) await Promise.race(working.values());
      else if (outcomes.size === before) break;
    }
  } finally {
    await Promise.allSettled(working.values());
  }
  const failed = failure();
  if (failed) throw new StepFailed(failed.id, failed.error ?? { code: 'call_failed', message: 'no result' }, soFar());
  return soFar();
}

function skipped(id: string, lost: string): StepOutcome {
  return { id, state: 'skipped', attempts: 0, grant_id: null, error: { code: 'call_failed', message: `${lost} gave no result` } };
}

const REFERENCE = /^\$(?:input\.(?<input>[^.]+)|(?<step>[a-z0-9-]+\.[A-Za-z][A-Za-z0-9_-]*))(?<path>(?:\.[^.]+)*)$/;

/** Ids of the steps whose results these arguments take, each once. */
export function stepsNeeded(args: unknown): string[] {
  if (typeof args === 'string') {
    const step = REFERENCE.exec(args)?.groups?.['step'];
    return step === undefined ? [] : [step];
  }
  if (typeof args !== 'object' || args === null) return [];
  return [...new Set(Object.values(args).flatMap(stepsNeeded))];
}

/** Names of the arguments of the composed skill that these take, each once. */
export function inputsNeeded(args: unknown): string[] {
  if (typeof args === 'string') {
    const name = REFERENCE.exec(args)?.groups?.['input'];
    return name === undefined ? [] : [name];
  }
  if (typeof args !== 'object' || args === null) return [];
  return [...new Set(Object.values(args).flatMap(inputsNeeded))];
}

interface Values {
  input: Readonly<Record<string, unknown>>;
  results: Readonly<Record<string, unknown>>;
}

/** The arguments with every reference replaced. An argument that an absent value stands for is left out. */
export function valuesOf(args: Readonly<Record<string, unknown>>, values: Values): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, value]) => {
      const found = valueOf(value, values);
      return found === undefined ? [] : [[name, found]];
    }),
  );
}

function valueOf(value: unknown, values: Values): unknown {
  if (typeof value === 'string') {
    const { input, step, path = '' } = REFERENCE.exec(value)?.groups ?? {};
    if (input !== undefined) return below(own(values.input, input), path);
    if (step !== undefined) return below(own(values.results, step), path);
    return value.startsWith('$$') ? value.slice(1) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => valueOf(item, values) ?? null);
  return valuesOf(Object.fromEntries(Object.entries(value)), values);
}

function below(value: unknown, path: string): unknown {
  return path
    .split('.')
    .slice(1)
    .reduce<unknown>((at, name) => own(at, name), value);
}

function own(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

function faultOf(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: 'call_failed', message: String(error) };
  const code = [own(error, 'calleeCode'), own(error, 'code')].find((one) => typeof one === 'string');
  return { code: typeof code === 'string' ? code : 'call_failed', message: error.message };
}

// maxRetries as sdk/options.md has it: what is tried again, how often, how much later, and that it stays one
// run.
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { retryDelayMs } from '../../../contract/wire/backoff.ts';
import { Agent } from '../authoring/agent.ts';
import { CallFailed, SandboxUnavailable, SecretMissing, SkillInputError, SkillInvocationError, SkillTimeout } from '../authoring/errors.ts';
import { declare } from '../authoring/declare.ts';
import { skill } from '../authoring/skill.ts';
import { localPlatform } from '../platform/local.ts';
import { PlatformError } from '../platform/run-client.ts';
import { Executor, type RunHandle } from './executor.ts';
import { IdSource } from './ids.ts';
import { grantVerifier, type RunOrigin } from './origin.ts';

const again = { idempotent: true, maxRetries: 2 };

class Flaky extends Agent {
  name = 'flaky';
  description = 'Fails.';
  version = '1.0.0';
  readonly runs: string[] = [];
  readonly #failure: unknown;
  constructor(failure: unknown) {
    super();
    this.#failure = failure;
  }
  third = skill(again, async (ctx) => {
    this.runs.push(ctx.runId);
    if (this.runs.length < 3) throw this.#failure;
    return this.runs.length;
  });
  never = skill(again, async (ctx) => {
    this.runs.push(ctx.runId);
    throw this.#failure;
  });
  onlyOnce = skill({ maxRetries: 2 }, async (ctx) => {
    this.runs.push(ctx.runId);
    throw this.#failure;
  });
  unfit = skill({ ...again, output: z.number() }, async (ctx) => {
    this.runs.push(ctx.runId);
    return 'much' as unknown as number;
  });
}

interface Started {
  handle: RunHandle;
  runs: string[];
  said: string[];
}

async function start(name: string, failure: unknown = new Error('not yet'), origin: RunOrigin = {}): Promise<Started> {
  const agent = new Flaky(failure);
  agent.configure({});
  const quiet = (): undefined => undefined;
  const executor = new Executor({
    agent,
    declaration: declare(agent),
    log: () => ({ debug: quiet, info: quiet, warn: quiet, error: quiet }),
    ids: new IdSource(),
    secrets: () => ({}),
    platform: localPlatform(),
    verify: grantVerifier('flaky', () => undefined),
    setup: undefined,
    maxQueued: 1,
    maxQueueMs: 1_000,
    stopGraceMs: 10,
    healthEveryMs: 5_000,
  });
  const said: string[] = [];
  const sink = (kind: string, payload: object): undefined => void (kind === 'progress' && 'message' in payload && said.push(String(payload.message)));
  const handle = executor.start(await executor.prepare(name, {}, { scopes: [] }), { requestId: 'req_1', origin, sink });
  handle.result.catch(() => undefined);
  return { handle, runs: agent.runs, said };
}

test('without idempotent nothing is tried again, and the card shows what was declared', async () => {
  const { handle, runs } = await start('onlyOnce');
  await expect(handle.result).rejects.toThrow();
  expect(runs).toHaveLength(1);
  expect(declare(new Flaky(undefined)).skills.get('onlyOnce')?.card.policy).toMatchObject({ max_retries: 2, idempotent: false });
});

test('a wait doubles with each retry, half of it by chance, and has an end', () => {
  const waits = (random: number): number[] => [1, 2, 3, 4, 7, 1000].map((retry) => retryDelayMs(retry, () => random));
  expect(waits(1)).toEqual([500, 1000, 2000, 4000, 30_000, 30_000]);
  expect(waits(0)).toEqual([250, 500, 1000, 2000, 15_000, 15_000]);
});

test('a failure that is over by then is not seen; each attempt is the same run, and a reader hears of it', async () => {
  const { handle, runs, said } = await start('third');
  expect(await handle.result).toBe(3);
  expect(runs).toEqual([handle.runId, handle.runId, handle.runId]);
  expect(said).toEqual([expect.stringMatching(/^failed; trying again in 0\.[2-5] s \(retry 1 of 2\)$/), expect.stringMatching(/^failed; .*\(retry 2 of 2\)$/)]);
});

const callee = (status: number): CallFailed => new CallFailed('other/skill: no', { code: 'some_code', status });
test.each<[string, unknown, number]>([
  ['an unexpected exception', new Error('not yet'), 3],
  ['a failure of its own', new SkillInvocationError('the shop is closed'), 3],
  ['the platform away', new PlatformError('cannot be reached', { code: 'unreachable', status: 0 }), 3],
  ['another agent that did not answer', callee(0), 3],
  ['another agent that failed', callee(502), 3],
  ['no sandbox', new SandboxUnavailable(), 3],
  ['another agent that refused', callee(403), 1],
  ['a conflict of its own', new SkillInvocationError('taken', { status: 409 }), 1],
  ['bad arguments', new SkillInputError('no such article'), 1],
  ['a missing secret', new SecretMissing('KEY'), 1],
  ['a time limit', new SkillTimeout('never', 1), 1],
])('%s: %s', async (_what, failure, attempts) => {
  const { handle, runs } = await start('never', failure);
  await expect(handle.result).rejects.toThrow();
  expect(runs).toHaveLength(attempts);
});

test('a result that does not fit is not tried again; a run that began anew elsewhere has fewer left', async () => {
  const unfit = await start('unfit');
  await expect(unfit.handle.result).rejects.toMatchObject({ code: 'skill_output_error' });
  const once = await start('never', new Error('not yet'), { runId: 'run_1', retried: 1 });
  const none = await start('never', new Error('not yet'), { runId: 'run_1', retried: 2 });
  await Promise.allSettled([once.handle.result, none.handle.result]);
  expect([unfit.runs.length, once.runs.length, none.runs.length]).toEqual([1, 2, 1]);
});

test('a run that is stopped while it waits for its retry ends there', async () => {
  const { handle, runs, said } = await start('never');
  await vi.waitFor(() => expect(said).toHaveLength(1));
  handle.stop();
  await expect(handle.result).rejects.toMatchObject({ code: 'cancelled_by_caller' });
  expect(runs).toHaveLength(1);
});

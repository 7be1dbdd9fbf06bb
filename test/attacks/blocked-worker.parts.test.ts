// One person's call blocks a Python worker: `import openai` in a handler, `time.sleep`, C code. Others get their answers meanwhile, and who was asked
// before still finds the run that asked.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { AgentDsl } from '#contract/wire/dsl.ts';
import { QuestionPayload } from '#contract/wire/events.ts';
import { PYTHON, pythonWithSdk, SDK, WITHOUT_PYTHON } from '../support/languages/python.ts';
import { serveWorker, type ServedWorker } from '../support/languages/sidecar.ts';

const AGENTS = join(SDK, 'tests/agents');
const BLOCKS_FOR_SECONDS = 20;

describe.skipIf(!PYTHON)(`a worker whose loop is blocked (${PYTHON ?? WITHOUT_PYTHON})`, () => {
  let python: string;
  let dsl: AgentDsl;
  beforeAll(async () => {
    python = await pythonWithSdk();
    const { stdout } = await promisify(execFile)(python, ['-m', 'svc', 'compile', 'blocker:Blocker'], { cwd: AGENTS });
    dsl = AgentDsl.parse(JSON.parse(stdout));
  }, 300_000);

  const serve = (concurrency: number): Promise<ServedWorker> => {
    const { card } = dsl;
    const skills = card.skills.map((skill) => (skill.id === 'sleeps' ? { ...skill, policy: { ...skill.policy, timeout_seconds: BLOCKS_FOR_SECONDS } } : skill));
    return serveWorker({
      dsl: { ...dsl, card: { ...card, skills, runtime: { ...card.runtime, concurrency } } },
      worker: { command: python, args: ['-m', 'svc', 'worker', 'blocker:Blocker'], cwd: AGENTS },
      healthEveryMs: 500,
    });
  };

  /** A run that asks, with its question and its last event. */
  const asks = async (served: ServedWorker): Promise<{ question: string; last: Promise<unknown> }> => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const last = (async () => {
      let event: unknown;
      for await (event of served.stream('waits', {})) {
        const { kind, payload } = event as { kind: string; payload: unknown }; // the stream's own
        if (kind === 'question') resolve(QuestionPayload.parse(payload).question_id);
      }
      return event;
    })();
    return { question: await promise, last };
  };

  it.each([
    { skill: 'sleeps', concurrency: 1, how: 'as a call at a time is taken' },
    { skill: 'sleeps', concurrency: 8, how: 'sent into the worker that is blocked' },
    { skill: 'holds_the_lock', concurrency: 1, how: "though not even the worker's other threads run" },
  ])('others are answered while "$skill" blocks, $how; a run that waits for a person is kept', { timeout: 120_000 }, async ({ skill, concurrency }) => {
    const served = await serve(concurrency);
    const waiting = await asks(served);
    const order: string[] = [];
    const blocking = served.post(skill, {}).then((response) => (order.push('blocking'), response.status));
    await vi.waitFor(() => expect(served.activity().working).toBeGreaterThan(0));
    expect(await served.result('quick', {}).then((value) => (order.push('quick'), value))).toBe('quick');
    expect(await served.result('quick', {})).toBe('quick');
    // Asked after their health, as a host does, workers are not ended over what they run.
    for (let asked = 0; asked < 5; asked += 1) await fetch(`${served.url}/healthz`);
    expect(await blocking).toBe(skill === 'sleeps' ? 504 : 200);
    expect(order).toEqual(['quick', 'blocking']);
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ answer: 'yes' }) };
    expect(await (await fetch(`${served.url}/answers/${waiting.question}`, init)).json()).toEqual({ resolved: true });
    expect(await waiting.last).toMatchObject({ kind: 'result', payload: { result: ['local', 'yes'] } });
    const told = served.log.find(({ code }) => code === 'worker_blocked');
    expect(told?.message).toContain('asyncio.to_thread');
    if (skill === 'sleeps') expect(told).toMatchObject({ skill, stack: expect.stringContaining('blocker.py') });
    expect(served.log.filter(({ message }) => message.startsWith('the worker is gone'))).toEqual([]);
  });
});

// One person's call blocks a Python worker: `import openai` in a handler, `time.sleep`, C code. Others get
// their answers meanwhile, and who was asked before still finds the run that asked.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { AgentDsl } from '#contract/wire/dsl.ts';
import { QuestionPayload } from '#contract/wire/events.ts';
import { PYTHON, pythonWithSdk, SDK, WITHOUT_PYTHON } from '../support/languages/python.ts';
import { serveWorker, type ServedWorker } from '../support/languages/sidecar.ts';

const AGENTS = join(SDK, 'tests/agents');
const run = promisify(execFile);

describe.skipIf(!PYTHON)(`a worker whose loop is blocked (${PYTHON ?? WITHOUT_PYTHON})`, () => {
  let python: string;
  let dsl: AgentDsl;
  beforeAll(async () => {
    python = await pythonWithSdk();
    const { stdout } = await run(python, ['-m', 'svc', 'compile', 'blocker:Blocker'], { cwd: AGENTS });
    dsl = AgentDsl.parse(JSON.parse(stdout));
  });

  const serve = (concurrency: number): Promise<ServedWorker> => {
    const { card } = dsl;
    return serveWorker({
      dsl: { ...dsl, card: { ...card, runtime: { ...card.runtime, concurrency } } },
      worker: { command: python, args: ['-m', 'svc', 'worker', 'blocker:Blocker'], cwd: AGENTS },
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
    { keeps_lock: false, concurrency: 1, how: 'as one call at a time is taken' },
    { keeps_lock: false, concurrency: 8, how: 'sent into the worker that is blocked' },
    { keeps_lock: true, concurrency: 1, how: "though not even the worker's other threads run" },
  ])('others are answered meanwhile, $how; a run that waits for a person is kept', async ({ keeps_lock, concurrency }) => {
    const fifo = join(await mkdtemp(join(tmpdir(), 'svc-blocks-')), 'fifo');
    onTestFinished(() => rm(dirname(fifo), { recursive: true, force: true }));
    await run('mkfifo', [fifo]);
    const served = await serve(concurrency);
    const waiting = await asks(served);
    const blocking = served.result('opens', { fifo, keeps_lock });
    await vi.waitFor(() => expect(served.activity().working).toBeGreaterThan(0));
    expect(await served.result('quick', {})).toBe('quick');
    expect(await served.result('quick', {})).toBe('quick');
    // Ends what blocks.
    await writeFile(fifo, '');
    expect(await blocking).toBe('opened');
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ answer: 'yes' }) };
    expect(await (await fetch(`${served.url}/answers/${waiting.question}`, init)).json()).toEqual({ resolved: true });
    expect(await waiting.last).toMatchObject({ kind: 'result', payload: { result: ['local', 'yes'] } });
    const told = served.log.find(({ code }) => code === 'worker_blocked');
    expect(told?.message).toContain('asyncio.to_thread');
    if (!keeps_lock) expect(told).toMatchObject({ skill: 'opens', stack: expect.stringContaining('blocker.py') });
    expect(served.log.filter(({ message }) => message.startsWith('the worker is gone'))).toEqual([]);
  });
});

// What the demo workers must all do: `sum` and `sum_form`, behind the sidecar.
import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { errorLines } from '#host/build/guest/compiled.ts';
import { serveWorker, type ServedWorker } from './sidecar.ts';

export function found(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * What a build says to the author of this source with a line in `file` that does not compile, of what the
 * compiler says.
 */
export async function saysOfMistake(source: string, file: string, [program, ...args]: [string, ...string[]], placeIn: RegExp): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-mistake-'));
  try {
    await cp(source, folder, { recursive: true });
    await writeFile(join(folder, file), `${await readFile(join(folder, file), 'utf8')}\nthis does not compile\n`);
    const env = { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', CARGO_TARGET_DIR: join(folder, 'target') };
    const { status, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: 'utf8' });
    expect(status).not.toBe(0);
    return errorLines(stderr, placeIn);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Declares the tests; `build` makes the program inside `folder` and returns its path. */
export function demoWorker(source: string, build: (folder: string) => Promise<string>): void {
  let folder: string;
  let command: string;
  let dsl: unknown;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-demo-'));
    dsl = JSON.parse(await readFile(join(source, 'agent.dsl.json'), 'utf8'));
    command = await build(folder);
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const serve = (): Promise<ServedWorker> => serveWorker({ dsl, worker: { command } });

  it('answers calls, many at once, each with its own result', async () => {
    const served = await serve();
    expect(await served.result('sum', { a: 2, b: 3 })).toBe(5);
    expect(await served.result('sum', { a: -0.5, b: 1e-7 })).toBe(-0.5 + 1e-7);
    const many = await Promise.all(Array.from({ length: 50 }, (_, a) => served.result('sum', { a, b: 1000 })));
    expect(many).toEqual(Array.from({ length: 50 }, (_, a) => a + 1000));
    expect(await (await fetch(`${served.url}/healthz`)).json()).toEqual({ status: 'ok' });
  });

  it('is refused like any agent: by the runtime, before the worker is asked', async () => {
    const served = await serve();
    expect(await served.refusal('sum', { a: 'x', b: 1 })).toMatchObject({
      status: 400,
      code: 'skill_input_error',
      issues: [{ path: ['a'], message: 'Invalid input: expected number, received string' }],
    });
    expect(await served.refusal('sum', { a: 1, b: 1, c: 1 })).toMatchObject({ status: 400 });
    expect(await served.refusal('product', {})).toMatchObject({ status: 404, code: 'skill_not_found' });
  });

  it('asks a person by form: wrong answers are refused before the worker hears of them', async () => {
    const served = await serve();
    const answer = async (question: unknown, given: unknown): Promise<boolean> => {
      const url = `${served.url}/answers/${String(question)}`;
      const body = JSON.stringify({ answer: JSON.stringify(given) });
      return (await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })).ok;
    };
    const seen: unknown[] = [];
    for await (const { kind, payload } of served.stream('sum_form', {})) {
      if (kind === 'question') {
        seen.push(payload['schema']);
        expect(await answer(payload['question_id'], { a: 'two' })).toBe(false);
        expect(await answer(payload['question_id'], { a: 2, b: 3 })).toBe(true);
      }
      if (kind === 'result') seen.push(payload['result']);
    }
    expect(seen).toEqual([expect.objectContaining({ required: ['a', 'b'] }), 5]);
  });

  it('a run that waits for its form ends when its caller goes', async () => {
    const served = await serve();
    const gone = new AbortController();
    for await (const { kind } of served.stream('sum_form', {}, { signal: gone.signal })) if (kind === 'question') break;
    gone.abort();
    expect(await served.result('sum', { a: 2, b: 3 })).toBe(5);
  });

  it('streams, and ends with its sidecar', async () => {
    const served = await serve();
    const events = await Array.fromAsync(served.stream('sum', { a: 1, b: 1 }));
    expect(events.map(({ kind }) => kind)).toEqual(['status', 'result']);
    await served.shutdown();
    await expect(fetch(`${served.url}/healthz`)).rejects.toThrow();
  });
}

// The Python SDK behind the sidecar: its own checks, then every part of the worker protocol through HTTP.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { AgentDsl } from '#contract/wire/dsl.ts';
import { SkillInputError } from '#sdk/typescript/index.ts';
import { testAgent } from '#sdk/typescript/testing.ts';
import { Golden } from '#sdk/golden/agent.ts';
import { canonicalJson } from '#contract/wire/canonical.ts';
import { PYTHON, pythonWithSdk, SDK, WITHOUT_PYTHON } from '../support/languages/python.ts';
import { serveWorker, type ServedWorker } from '../support/languages/sidecar.ts';
import { cites } from '../spec/verifies.ts';

const run = promisify(execFile);
const AGENTS = join(SDK, 'tests/agents');
const About = z.object({
  user: z.string(),
  started: z.int(),
  cleaned: z.int(),
  pid: z.int(),
  secret: z.string(),
  environment: z.boolean(),
  greeting: z.string(),
});

describe.skipIf(!PYTHON)(`Python agents (${PYTHON ?? WITHOUT_PYTHON})`, () => {
  let python: string;
  let dsl: unknown;
  let golden: AgentDsl;
  beforeAll(async () => {
    python = await pythonWithSdk();
    const compile = async (entrypoint: string): Promise<unknown> =>
      JSON.parse((await run(python, ['-m', 'svc', 'compile', entrypoint], { cwd: AGENTS })).stdout);
    dsl = await compile('parts:Parts');
    golden = AgentDsl.parse(await compile('golden:Golden'));
  });

  const serve = (options: { config?: unknown } = {}): Promise<ServedWorker> =>
    serveWorker({
      dsl,
      worker: { command: python, args: ['-m', 'svc', 'worker', 'parts:Parts'], cwd: AGENTS },
      secrets: { TOKEN: 's3cret-value' },
      ...options,
    });
  const about = async (served: ServedWorker, headers: Record<string, string> = {}): Promise<z.infer<typeof About>> =>
    About.parse(await served.result('about', { point: { x: 1 } }, { headers }));

  it('the SDK passes its own tests and types', { ...cites('class.attributes', 'skill.rules', 'skill.schema'), timeout: 900_000 }, async () => {
    const check = async (...args: string[]): Promise<void> => void (await run(python, ['-m', ...args], { cwd: SDK }));
    await check('pytest', '--ignore', 'tests/test_golden.py'); // python-golden.parts.test.ts
    await check('mypy', '--cache-dir', '/dev/null');
  });

  it('the golden agent compiles to the card TypeScript has, and is refused with the same words', cites('card.fields'), async () => {
    const twin = testAgent(Golden, { auth: { scopes: ['items:read'] } });
    expect(canonicalJson(golden.card)).toBe(canonicalJson(twin.card));
    const served = await serveWorker({
      dsl: golden,
      worker: { command: python, args: ['-m', 'svc', 'worker', 'golden:Golden'], cwd: AGENTS },
      secrets: { API_TOKEN: 'x' },
    });
    expect((await served.refusal('search', { query: 'a' })).missing_scopes).toEqual(['items:read']);
    const open = await serveWorker({
      dsl: {
        ...golden,
        auth_model: { type: 'object', properties: { scopes: { type: 'array' } } },
        auth_resolver: { kind: 'static', principal: { scopes: ['items:read'] } },
      },
      worker: { command: python, args: ['-m', 'svc', 'worker', 'golden:Golden'], cwd: AGENTS },
      secrets: { API_TOKEN: 'x' },
    });
    for (const args of [
      {},
      { query: 1 },
      { query: 'a', limit: 'x' },
      { query: 'a', limit: 1.5 },
      { query: 'a', other: 1 },
      { query: 'a', weight: 'x', tags: [1] },
    ]) {
      const theirs = await open.refusal('search', args);
      const ours = await refusalOf(twin.invoke('search', args as never)); // a wrong argument on purpose
      expect({ message: theirs.message, issues: theirs.issues }).toEqual(ours);
    }
    expect(await open.result('search', { query: 'a' })).toEqual([]);
  });

  it('runs skills with defaults, models, configuration, secrets and the caller; secrets are not in the environment', async () => {
    const served = await serve({ config: { greeting: 'Moin' } });
    expect(await served.result('sum', { a: 2 })).toBe(3);
    expect(await about(served, { authorization: 'Bearer tok-ada' })).toMatchObject({
      greeting: 'Moin',
      user: 'ada',
      secret: 's3cret-value',
      environment: false,
      started: 1,
    });
    served.update({ secrets: { TOKEN: 'another-value' } });
    expect((await about(served)).secret).toBe('another-value');
    expect(await (await fetch(`${served.url}/healthz`)).json()).toEqual({ status: 'ok' });
  });

  it("asks the author's own resolver, which may set its own status", cites('auth.401'), async () => {
    const served = await serve();
    expect(await served.refusal('sum', { a: 1 }, { headers: { authorization: 'Bearer bad' } })).toMatchObject({
      status: 403,
      code: 'auth_error',
      message: 'no such token',
    });
    expect(await served.refusal('guarded', {}, { headers: { authorization: 'Bearer tok-ada' } })).toMatchObject({
      code: 'missing_scopes',
      missing_scopes: ['items:write'],
    });
  });

  it('streams events in order, and errors by name with nothing of the inside', cites('run.events', 'errors.names'), async () => {
    const served = await serve();
    const events = await Array.fromAsync(served.stream('reports', {}));
    expect(events.map(({ kind }) => kind)).toEqual(['status', 'progress', 'error', 'mine.own', 'artifact', 'result']);
    expect(await served.refusal('fails', { how: 'input' })).toMatchObject({ status: 400, code: 'skill_input_error', issues: [{ path: ['b'] }] });
    for (const how of ['other', 'exit', 'fake']) {
      const refused = await served.refusal('fails', { how });
      expect(refused).toMatchObject({ status: 500, code: 'skill_invocation_error' });
      expect(refused.message).not.toContain('hunter2');
    }
    expect(await served.refusal('fails', { how: 'output' })).toMatchObject({ status: 500, code: 'skill_output_error' });
    expect(served.log.find((entry) => String(entry['error']).includes('hunter2'))?.['stack']).toContain('parts.py');
  });

  it('a question is asked, answered from outside, and the skill goes on', async () => {
    const served = await serve();
    const seen: string[] = [];
    for await (const { kind, payload } of served.stream('asks', { prompt: 'Blue?' })) {
      seen.push(kind);
      if (kind === 'question') {
        const answered = await fetch(`${served.url}/answers/${String(payload['question_id'])}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"answer":"green"}',
        });
        expect(answered.status).toBeLessThan(300);
      }
      if (kind === 'result') expect(payload).toEqual({ result: 'you said green' });
    }
    // The runtime says that it waits, and that it runs again.
    expect(seen).toEqual(['status', 'progress', 'status', 'question', 'status', 'result']);
    expect(await served.refusal('asks', { prompt: 'Anyone?', timeout: 0.2 })).toMatchObject({ code: 'question_expired' });
  });

  it('the deadline moves on while the run waits for a person, as for TypeScript', async () => {
    const served = await serve();
    for await (const { kind, payload } of served.stream('hurried', {})) {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"answer":"yes"}' };
      if (kind === 'question') expect((await fetch(`${served.url}/answers/${String(payload['question_id'])}`, init)).status).toBe(200);
      if (kind === 'result') expect(payload).toEqual({ result: true });
      expect(kind).not.toBe('failed');
    }
  });

  it('a form is filled in: what does not fit is refused, and the skill gets what does', async () => {
    const served = await serve();
    const answer = async (question: unknown, given: unknown): Promise<number> => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ answer: given }) };
      return (await fetch(`${served.url}/answers/${String(question)}`, init)).status;
    };
    for await (const { kind, payload } of served.stream('orders', {})) {
      if (kind === 'question') {
        expect(payload['schema']).toMatchObject({ type: 'object', required: ['x'] });
        expect(await answer(payload['question_id'], { x: 'far' })).toBe(400);
        expect(await answer(payload['question_id'], { x: 3, y: 4 })).toBe(200);
      }
      if (kind === 'result') expect(payload).toEqual({ result: { x: 3, y: 4 } });
      expect(kind).not.toBe('failed');
    }
  });

  it('the log of a handler that raised begins with the author’s line; frames of ours are folded', async () => {
    const served = await serve();
    await served.refusal('fails', { how: 'else' });
    const stack = String(served.log.find((entry) => String(entry['error']).includes('hunter2'))?.['stack']);
    expect(stack.split('\n')[0]).toMatch(/^RuntimeError: the password is hunter2 \(parts\.py:\d+, in fails\)$/);
    expect(stack).not.toMatch(/File ".*svc\/worker/);
  });

  it('the rest of the run context answers as for TypeScript', async () => {
    const served = await serve();
    expect(await served.result('sandboxed', {})).toBe('sandbox_unavailable');
    expect(await served.result('widens', {})).toBe('scope_expansion_not_allowed');
    const artifact = z.object({ uri: z.string(), size_bytes: z.int() }).parse(await served.result('stores', { size: 20_000_000 }));
    expect(artifact.size_bytes).toBe(20_000_000);
    expect((await (await fetch(artifact.uri)).arrayBuffer()).byteLength).toBe(20_000_000);
    expect(await served.result('relays', { target: served.url, skill: 'sum', args: { a: 20, b: 22 } })).toBe(42);
    expect(await served.refusal('relays', { target: served.url, skill: 'sum', args: {} })).toMatchObject({ code: 'call_failed' });
  });

  it('a caller who leaves cancels: awaiting code by CancelledError, code that never awaits by check_cancelled', cites('run.cancelled'), async () => {
    const served = await serve();
    const leaving = new AbortController();
    const left = served.post('waits', { seconds: 60 }, { signal: leaving.signal }).catch(() => 'left');
    await vi.waitFor(async () => expect((await about(served)).started).toBe(1));
    leaving.abort();
    expect(await left).toBe('left');
    await vi.waitFor(async () => expect((await about(served)).cleaned).toBe(1), { timeout: 10_000, interval: 50 });
    // One second is all this skill has; it would spin for thirty.
    expect(await served.refusal('spins', { seconds: 30 })).toMatchObject({ status: 504, code: 'skill_timeout' });
    await vi.waitFor(async () => expect((await about(served)).cleaned).toBe(2), { timeout: 10_000, interval: 50 });
  });

  it('a hundred streams at once are each whole and in order', async () => {
    const served = await serve();
    const streams = Array.from({ length: 100 }, async () => {
      const events = await Array.fromAsync(served.stream('count', { to: 50 }));
      return events.flatMap(({ kind, payload }) => (kind === 'text_delta' ? [String(payload['text'])] : []));
    });
    const expected = Array.from({ length: 50 }, (_, number) => `${number}:`);
    for (const texts of await Promise.all(streams)) expect(texts).toEqual(expected);
  });

  it('a reader that does not read slows its own skill, and nobody else', async () => {
    const served = await serve();
    const req = request(`${served.url}/invoke/count`, { method: 'POST', headers: { 'content-type': 'application/json', accept: 'text/event-stream' } });
    req.end(JSON.stringify({ to: 3000, size: 20_000 }));
    const [response] = await once(req, 'response');
    response.pause();
    // 60 MB would be on their way; the process that has them may not hold them.
    for (let call = 0; call < 20; call += 1) expect(await served.result('sum', { a: call })).toBe(call + 1);
    const { pid } = await about(served);
    const rss = Number((await run('ps', ['-o', 'rss=', '-p', String(pid)])).stdout) * 1024;
    expect(rss).toBeLessThan(150 * 1024 * 1024);
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length; // a response yields buffers
    expect(bytes).toBeGreaterThan(3000 * 20_000);
  });

  it('a worker that dies takes only its runs with it; it is started again, with startup, and calls wait for it', cites('workers.death'), async () => {
    const served = await serve();
    const before = await about(served);
    const waiting = served.refusal('waits', { seconds: 60 });
    await vi.waitFor(async () => expect((await about(served)).pid).toBe(before.pid));
    const dying = served.refusal('fails', { how: 'die' });
    expect(await dying).toMatchObject({ status: 500, code: 'skill_invocation_error' });
    expect(await waiting).toMatchObject({ status: 500, code: 'skill_invocation_error' });
    const after = await Promise.all(Array.from({ length: 5 }, () => about(served)));
    for (const now of after) expect(now).toMatchObject({ started: 1, secret: 's3cret-value' });
    expect(new Set(after.map(({ pid }) => pid)).size).toBe(1);
    expect(after[0]?.pid).not.toBe(before.pid);
  });

  it('a handler that spins ends at its deadline; a run that waits in the same worker goes on with its locals', async () => {
    const blocker: unknown = JSON.parse((await run(python, ['-m', 'svc', 'compile', 'blocker:Blocker'], { cwd: AGENTS })).stdout);
    const served = await serveWorker({ dsl: blocker, worker: { command: python, args: ['-m', 'svc', 'worker', 'blocker:Blocker'], cwd: AGENTS } });
    const results: unknown[] = [];
    for await (const { kind, payload } of served.stream('waits', {})) {
      if (kind === 'result') results.push(payload['result']);
      if (kind !== 'question') continue;
      expect(await served.refusal('spins_on', {})).toMatchObject({ status: 504, code: 'skill_timeout' });
      expect(await served.result('quick', {})).toBe('quick');
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"answer":"yes"}' };
      expect(await (await fetch(`${served.url}/answers/${String(payload['question_id'])}`, init)).json()).toEqual({ resolved: true });
    }
    expect(results).toEqual([['local', 'yes']]);
  });

  it('shutdown runs the hook once and ends the process', cites('class.hooks'), async () => {
    const served = await serve();
    const { pid } = await about(served);
    await served.shutdown();
    expect(served.log.filter(({ message }) => message === 'stopping')).toHaveLength(1);
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  });

  it('startup that raises fails with the words of its author, only for the author; their line is in the log', async () => {
    const served = await serve({ config: { greeting: 'no model' } });
    await expect(served.startup()).rejects.toThrow('models/main.bin does not exist: add it to the project');
    expect(served.log.map((entry) => JSON.stringify(entry)).join('\n')).toMatch(/parts\.py/);
    const refused = await served.refusal('sum', { a: 1 });
    expect(refused).toMatchObject({ status: 503, code: 'agent_not_ready' });
    expect(refused.message).not.toContain('models/main.bin');
  });

  it('a configuration that does not fit is told to callers as not ready', async () => {
    const served = await serve({ config: { greeting: 5 } });
    expect(await served.refusal('sum', { a: 1 })).toMatchObject({ status: 503, code: 'agent_not_ready' });
    expect(served.log.some((entry) => String(entry['error']).includes('greeting'))).toBe(true);
  });

  it('a project that cannot be loaded ends the start with the reason', async () => {
    const worker = { command: python, args: ['-m', 'svc', 'worker', 'nothing:Here'], cwd: AGENTS };
    await expect(serveWorker({ dsl, worker })).rejects.toThrow(/there is no module \\"nothing\\"/);
  });
});

async function refusalOf(call: Promise<unknown>): Promise<{ message: string; issues: unknown }> {
  const error = await call.then(
    () => undefined,
    (refused: unknown) => refused,
  );
  if (!(error instanceof SkillInputError)) throw new Error('the call was not refused');
  return { message: error.message, issues: error.issues };
}

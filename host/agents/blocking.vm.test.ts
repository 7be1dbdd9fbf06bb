// An agent that blocks its own process, in a real machine: that costs the call that blocks, and nothing else.
// One that does not start is not live.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { LogLine } from '#drivers/runtime/port.ts';
import { callAgent, invoke, openEvents, questionIn, sourceOf, startInput, uniqueId } from '#drivers/runtime/test/agents.ts';
import { testHost, type TestHost } from '../test/support.ts';

const never = new AbortController().signal;
let host: TestHost;
let image = '';
/** Of the one machine that the tests share; a startup that fails has its own. */
let id = '';

beforeAll(async () => {
  host = await testHost({ SVC_PAUSE_AFTER_SECONDS: '100000' });
  const source = sourceOf(join(import.meta.dirname, '../test/templates/blocker'));
  const build = { build_id: uniqueId('b'), tenant: 'test', source, language: 'typescript', entrypoint: 'agent:Blocker' } as const;
  image = (await host.runtime.build(build, () => undefined, never)).image;
  const input = startInput(image);
  await host.runtime.start(input, () => undefined, never);
  id = input.instance_id;
});
afterAll(() => host.end());

test('a skill that loops ends at its deadline; a run that waits in the same process continues with its locals, and calls are answered', async () => {
  const address = host.runtime.address(id);
  const waiting = openEvents(address, '/invoke/ask', { 'x-svc-run-id': 'run_waits', 'x-svc-detached': '1' });
  const question = await vi.waitFor(() => questionIn(waiting.text), 60_000);
  // In other ways of blocking, and again: sdk/typescript/runtime/watchdog/watchdog.test.ts.
  expect(await invoke(host.runtime, id, 'loop')).toMatchObject({ status: 504, body: { detail: { code: 'skill_timeout' } } });
  expect((await invoke(host.runtime, id, 'quick')).body).toBe('quick');
  expect((await callAgent(address, `/answers/${question}`, { answer: 'yes' })).body).toEqual({ resolved: true });
  await vi.waitFor(() => expect(waiting.text).toContain('event: result'), 30_000);
  expect(waiting.text).toContain('{"before":[1,2,3],"answer":"yes"}');
  await vi.waitFor(async () => {
    const said = (await host.runtime.logs(id)).map((line) => line.text).join('\n');
    expect(said).toContain('blocked its process past its deadline');
    expect(said).not.toContain('ended with code');
  });
});

test('an agent whose startup fails is no agent that serves: its start fails with the words of its author', async () => {
  const lines: Omit<LogLine, 'seq'>[] = [];
  const start = host.runtime.start(startInput(image, { env: { GREETING: 'no model' } }), (line) => void lines.push(line), never);
  await expect(start).rejects.toMatchObject({
    code: 'startup_failed',
    message: expect.stringContaining('models/main.bin does not exist: add it to the project'),
  });
  const said = lines.map(({ text }) => text).join('\n');
  expect(said).toContain('startup failed');
  expect(said).toMatch(/agent\.ts:\d+/);
  expect((await host.runtime.instances()).map(({ instance_id }) => instance_id)).toEqual([id]);
});

test('an agent whose health() fails takes no calls, says why, and is back when it is well', async () => {
  const unwell = async () => (await host.runtime.instances()).find((one) => one.instance_id === id)?.unwell;
  const address = host.runtime.address(id);
  const ill = openEvents(address, '/invoke/ill', { 'x-svc-run-id': 'run_ill', 'x-svc-detached': '1' });
  const question = await vi.waitFor(() => questionIn(ill.text), 60_000);
  // Calls keep it awake: asleep, as an agent is whose only run waits, it is not asked for its health.
  await vi.waitFor(
    async () => {
      await invoke(host.runtime, id, 'quick');
      expect(await unwell()).toMatchObject({ reason: 'the index is being rebuilt' });
    },
    { timeout: 60_000, interval: 100 },
  );
  const refused = await invoke(host.runtime, id, 'quick');
  expect(refused).toMatchObject({
    status: 503,
    headers: { 'retry-after': '5' },
    body: { detail: { code: 'agent_not_ready', message: 'the index is being rebuilt' } },
  });
  expect((await callAgent(address, `/answers/${question}`, { answer: 'yes' })).body).toEqual({ resolved: true });
  await vi.waitFor(async () => expect(await unwell()).toBeUndefined(), { timeout: 90_000, interval: 100 });
  expect((await invoke(host.runtime, id, 'quick')).body).toBe('quick');
  const said = (await host.runtime.logs(id)).filter((line) => line.stream === 'system').map((line) => line.text);
  expect(said).toEqual(
    expect.arrayContaining(["The agent's health() took it out of service: the index is being rebuilt", 'The agent is well again and takes calls.']),
  );
});

test('one that nothing inside can end is ended by the host, and the next call starts it again', async () => {
  void invoke(host.runtime, id, 'hold').catch(() => undefined);
  await vi.waitFor(async () => expect((await host.runtime.logs(id)).map((line) => line.text).join('\n')).toContain('The agent did not answer for'), {
    timeout: 120_000,
    interval: 500,
  });
  // It says so first, then ends it.
  const tierOf = async () => (await host.runtime.instances()).find((one) => one.instance_id === id)?.tier;
  await vi.waitFor(async () => expect(await tierOf()).toBe('cold'), { timeout: 60_000, interval: 200 });
  expect((await invoke(host.runtime, id, 'quick')).body).toBe('quick');
});

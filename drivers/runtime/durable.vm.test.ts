// A skill that stops in the middle of a function outlives its host: its machine sleeps on disk, every process of the platform and of the engine is
// gone, and when the answer comes it goes on with the next line. Nothing is done twice.
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { callAgent, invoke, sourceOf, startInput, testHost, uniqueId, type TestHost } from './test/support.ts';

const never = new AbortController().signal;
let host: TestHost;
let image = '';

beforeAll(async () => {
  host = await testHost({ SVC_PAUSE_AFTER_SECONDS: '1', SVC_SUSPEND_AFTER_SECONDS: '2' });
  const source = sourceOf(join(import.meta.dirname, 'test/templates/prober'));
  const build = { build_id: uniqueId('b'), tenant: 'test', source, language: 'typescript', entrypoint: 'agent:Prober' } as const;
  image = (await host.runtime.build(build, () => undefined, never)).image;
}, 400_000);
afterAll(() => host.end(), 60_000);

const asked = { 'x-svc-run-id': 'run_outlives', 'x-svc-detached': '1' };

test('a counter, an open file and a half-read generator are where they were after the host and its machines were gone', async () => {
  const input = startInput(image);
  const id = input.instance_id;
  await host.runtime.start(input, () => undefined, never);
  const socketPath = host.runtime.socketPath(id);
  expect((await invoke(host.runtime, id, 'count')).body).toBe(1);
  // Its caller leaves at once; the run is the platform's to read.
  void callAgent(socketPath, '/invoke/ask', {}, 'the-api-key', asked).catch(() => undefined);
  const question = await vi.waitFor(async () => {
    const [found] = /qst_[\w-]+/.exec(await firstEvents(socketPath)) ?? [];
    if (found === undefined) throw new Error('nothing is asked yet');
    return found;
  }, 60_000);
  const before = (await callAgent(socketPath, '/runs/run_other/events')).headers['x-svc-process'];
  await vi.waitFor(async () => expect((await host.runtime.instances()).find((one) => one.instance_id === id)?.tier).toBe('suspended'), {
    timeout: 90_000,
    interval: 200,
  });
  await host.kill();
  await host.restart();
  expect((await host.runtime.instances()).find((one) => one.instance_id === id)?.tier).toBe('suspended');
  const began = performance.now();
  expect((await callAgent(socketPath, `/answers/${question}`, { answer: 'yes' })).body).toEqual({ resolved: true });
  const woke = Math.round(performance.now() - began);
  const events = await callAgent(socketPath, '/runs/run_outlives/events', undefined, 'the-api-key');
  const result = /event: result\ndata: (.*)/.exec(events.text)?.[1] ?? '{}';
  expect(JSON.parse(result)).toMatchObject({ payload: { result: { answer: 'yes', steps: 2, notes: 'before; after', squares: [1, 4, 9] } } });
  // Each event once, numbered without a gap.
  const ids = [...events.text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
  expect(ids).toEqual(ids.map((_, index) => index + 1));
  // The same life of the same process, to itself and to whoever asks.
  expect((await callAgent(socketPath, '/runs/run_other/events')).headers['x-svc-process']).toBe(before);
  expect((await invoke(host.runtime, id, 'count')).body).toBe(2);
  // Restored from disk, under emulation, on a machine that may be busy: seconds, not a boot.
  expect(woke).toBeLessThan(20_000);
});

/** What there is by now; the stream stays open. */
function firstEvents(socketPath: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path: '/runs/run_outlives/events', headers: { authorization: 'Bearer the-api-key' }, agent: false }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk) => (text += String(chunk)));
      incoming.on('error', () => undefined);
      setTimeout(() => {
        outgoing.destroy();
        resolve(text);
      }, 300);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

// Agents started from the machine that has the SDK loaded: as quick, and as much on their own as any other.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { invoke, proberSource, startInput, uniqueId } from '#drivers/runtime/test/agents.ts';
import { testHost, type TestHost } from '../test/support.ts';

const never = new AbortController().signal;
let host: TestHost;
let templates = '';
let image = '';
let first = '';
let second = '';

beforeAll(async () => {
  // A folder of its own, so that this host makes the snapshots.
  templates = await mkdtemp(join(tmpdir(), 'svc-templates-'));
  host = await testHost({ SVC_TEMPLATES_DIR: templates, SVC_PAUSE_AFTER_SECONDS: '600', SVC_SUSPEND_AFTER_SECONDS: '900' });
  const source = proberSource();
  ({ image } = await host.runtime.build(
    { build_id: uniqueId('b'), tenant: 'test', source, language: 'typescript', entrypoint: 'agent:Prober' },
    () => undefined,
    never,
  ));
  [first, second] = [await started(), await started()];
});
afterAll(async () => {
  await host.end();
  await rm(templates, { recursive: true, force: true });
});

async function started(resources = { memory_mib: 256, cpu_millis: 1_000 }): Promise<string> {
  const input = startInput(image, { resources });
  await host.runtime.start(input, () => undefined, never);
  return input.instance_id;
}
async function startOf(id: string): Promise<unknown> {
  const lines = (await host.log()).split('\n').filter((line) => line.includes('instance_started') && line.includes(id));
  return JSON.parse(lines.at(-1) ?? 'null');
}

test('the default shape begins as a clone, another one boots', async () => {
  expect(await startOf(first)).toMatchObject({ clone_ms: expect.any(Number), launch_ms: expect.any(Number) });
  const larger = await started({ memory_mib: 320, cpu_millis: 1_000 });
  expect(await startOf(larger)).toMatchObject({ boot_ms: expect.any(Number) });
  expect((await invoke(host.runtime, larger, 'count')).body).toBe(1);
  await host.runtime.stop(larger);
});

test('each has its own identity, and shares no random number with its siblings', async () => {
  for (const id of [first, second])
    expect((await invoke(host.runtime, id, 'reveal')).body).toMatchObject({ secret: 'the-secret-value', env: 'hi', leaked: false, uid: 1000, cwd: '/app' });
  const ids = await Promise.all([first, second].map(async (id) => (await invoke(host.runtime, id, 'id')).body));
  expect(new Set(ids).size).toBe(2);
});

test('one that sleeps, and one whose process died, come back as any other', async () => {
  expect((await invoke(host.runtime, first, 'count')).body).toBe(1);
  await host.runtime.sleep(first, 'suspended');
  expect((await invoke(host.runtime, first, 'count')).body).toBe(2);
  expect((await invoke(host.runtime, second, 'count')).body).toBe(1);
  await invoke(host.runtime, second, 'die').catch(() => undefined);
  await vi.waitFor(async () => expect((await invoke(host.runtime, second, 'count')).body).toBe(1), { timeout: 60_000, interval: 500 });
});

test('its output and its failure are reported', async () => {
  await invoke(host.runtime, first, 'say', { text: 'here I am' });
  await vi.waitFor(async () => {
    const lines = (await host.runtime.logs(first)).map(({ text }) => text);
    expect(lines).toEqual(expect.arrayContaining(['here I am', 'err:here I am']));
  });
});

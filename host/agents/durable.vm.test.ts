// A skill that stops in the middle of a function outlives its host and its machine: every process of the
// platform and of the engine may be gone, and when the answer comes it goes on with the next line. Nothing is
// done twice.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AgentAddress, requestTo } from '#drivers/agent-http/address.ts';
import { readRecord } from '../microvm/qemu/record.ts';
import type { InstanceTier } from '#drivers/runtime/port.ts';
import { callAgent, invoke, proberSource, startInput, uniqueId } from '#drivers/runtime/test/agents.ts';
import { testHost, type TestHost } from '../test/support.ts';

const never = new AbortController().signal;
let host: TestHost;
let image = '';

beforeAll(async () => {
  host = await testHost();
  const source = proberSource();
  const build = { build_id: uniqueId('b'), tenant: 'test', source, language: 'typescript', entrypoint: 'agent:Prober' } as const;
  image = (await host.runtime.build(build, () => undefined, never)).image;
});
afterAll(() => host.end());

interface Case {
  what: string;
  environment: Record<string, string>;
  tier: InstanceTier;
  /** What is killed while the skill waits. */
  lost: (id: string) => Promise<void>;
}
const killMachine = async (id: string): Promise<void> => {
  const record = await readRecord(join(host.stateDir, 'vm', id, 'machine'));
  if (record?.pid === undefined) throw new Error(`${id} has no process`);
  process.kill(record.pid, 'SIGKILL');
};
// Other agents would stay awake and in memory for ever here.
const onlyWaits = { SVC_PAUSE_AFTER_SECONDS: '100000', SVC_SUSPEND_AFTER_SECONDS: '100000' };
const cases: Case[] = [
  {
    what: 'asleep on disk, its host killed',
    environment: { SVC_PAUSE_AFTER_SECONDS: '1', SVC_SUSPEND_AFTER_SECONDS: '2' },
    tier: 'suspended',
    lost: () => host.kill(),
  },
  { what: 'just paused, its machine killed', environment: onlyWaits, tier: 'paused', lost: killMachine },
  {
    what: 'just paused, its machine and its host killed',
    environment: onlyWaits,
    tier: 'paused',
    lost: async (id) => {
      await host.kill();
      await killMachine(id);
    },
  },
];

test.each(cases)('a counter, an open file and a half-read generator are where they were: $what', async ({ environment, tier, lost }) => {
  await host.restart(environment);
  const input = startInput(image);
  const id = input.instance_id;
  await host.runtime.start(input, () => undefined, never);
  const address = host.runtime.address(id);
  expect((await invoke(host.runtime, id, 'count')).body).toBe(1);
  // Its caller leaves at once; the run is the platform's to read.
  void callAgent(address, '/invoke/ask', {}, 'the-api-key', asked).catch(() => undefined);
  const question = await asksIn(address);
  const before = (await callAgent(address, '/runs/run_other/events')).headers['x-svc-process'];
  await reaches(id, tier);
  // A power cut would leave it alone, too.
  await vi.waitFor(async () => expect(await readRecord(join(host.stateDir, 'vm', id, 'machine'))).toMatchObject({ phase: 'suspended', durable: true }), 30_000);
  const { pid } = host;
  await lost(id);
  await host.runtime.instances().catch(() => host.restart());
  if (host.pid !== pid) await reaches(id, 'suspended');
  expect((await callAgent(address, `/answers/${question}`, { answer: 'yes' })).body).toEqual({ resolved: true });
  const events = await callAgent(address, '/runs/run_outlives/events', undefined, 'the-api-key');
  const result = /event: result\ndata: (.*)/.exec(events.text)?.[1] ?? '{}';
  expect(JSON.parse(result)).toMatchObject({ payload: { result: { answer: 'yes', steps: 2, notes: 'before; after', squares: [1, 4, 9] } } });
  // Each event once, numbered without a gap.
  const ids = [...events.text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
  expect(ids).toEqual(ids.map((_, index) => index + 1));
  // The same start of the same process, for itself and for callers.
  expect((await callAgent(address, '/runs/run_other/events')).headers['x-svc-process']).toBe(before);
  expect((await invoke(host.runtime, id, 'count')).body).toBe(2);
  await host.runtime.stop(id);
});

test('where its machine cannot be woken it is tried again, its run not given up', async () => {
  await host.restart({ SVC_PAUSE_AFTER_SECONDS: '1', SVC_SUSPEND_AFTER_SECONDS: '2' });
  const input = startInput(image);
  await host.runtime.start(input, () => undefined, never);
  const address = host.runtime.address(input.instance_id);
  void callAgent(address, '/invoke/ask', {}, 'the-api-key', asked).catch(() => undefined);
  const question = await asksIn(address);
  await reaches(input.instance_id, 'suspended');
  const state = join(host.stateDir, 'vm', input.instance_id, 'machine', 'state');
  const bytes = await readFile(state);
  await writeFile(state, 'not a snapshot');
  expect((await callAgent(address, `/answers/${question}`, { answer: 'yes' })).status).toBe(504);
  await writeFile(state, bytes);
  expect((await callAgent(address, `/answers/${question}`, { answer: 'yes' })).body).toEqual({ resolved: true });
  expect((await callAgent(address, '/runs/run_outlives/events', undefined, 'the-api-key')).text).toContain('before; after');
  await host.runtime.stop(input.instance_id);
});

test('where memory files are too many, an agent in which a run waits is not ended for it, after a restart of the host either', async () => {
  await host.restart({ SVC_PAUSE_AFTER_SECONDS: '1', SVC_SUSPEND_AFTER_SECONDS: '2' });
  const [waiting, idle] = [startInput(image), startInput(image)];
  await Promise.all([waiting, idle].map((input) => host.runtime.start(input, () => undefined, never)));
  const address = host.runtime.address(waiting.instance_id);
  void callAgent(address, '/invoke/ask', {}, 'the-api-key', asked).catch(() => undefined);
  const question = await asksIn(address);
  // It was used longer ago than the other one.
  await reaches(waiting.instance_id, 'suspended');
  expect((await invoke(host.runtime, idle.instance_id, 'count')).body).toBe(1);
  await reaches(idle.instance_id, 'suspended');
  await host.restart({ SVC_MEMORY_FILES_MIB: '1' });
  await reaches(idle.instance_id, 'cold');
  expect((await callAgent(address, `/answers/${question}`, { answer: 'yes' })).body).toEqual({ resolved: true });
  const events = await callAgent(address, '/runs/run_outlives/events', undefined, 'the-api-key');
  expect(events.text).toContain('before; after');
  // Nothing waits in it any more.
  await reaches(waiting.instance_id, 'cold');

  void callAgent(address, '/invoke/ask', {}, 'the-api-key', asked).catch(() => undefined);
  await asksIn(address);
  await reaches(waiting.instance_id, 'suspended');
  // An agent may say that somebody is waited for as long as it likes: the platform knows of no run there.
  await host.runtime.keepOnly({ instances: [waiting.instance_id, idle.instance_id], images: [image], with_runs: [] });
  await reaches(waiting.instance_id, 'cold');
});

const reaches = (id: string, wanted: InstanceTier) =>
  vi.waitFor(async () => expect((await host.runtime.instances()).find((one) => one.instance_id === id)?.tier).toBe(wanted), { timeout: 90_000, interval: 200 });
const asksIn = (address: AgentAddress): Promise<string> =>
  vi.waitFor(async () => {
    const [found] = /qst_[\w-]+/.exec(await firstEvents(address)) ?? [];
    if (found === undefined) throw new Error('nothing is asked yet');
    return found;
  });
const asked = { 'x-svc-run-id': 'run_outlives', 'x-svc-detached': '1' };

/** What there is by now; the stream stays open. */
function firstEvents(address: AgentAddress): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = requestTo(address, { path: '/runs/run_outlives/events', headers: { authorization: 'Bearer the-api-key' }, agent: false }, (incoming) => {
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

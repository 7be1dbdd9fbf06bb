// The example of LangGraph in a machine, with a scripted model behind the gateway: deployed, asked,
// everything killed during the question, answered.
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { RunOut } from '#contract/runs/runs.ts';
import { hostRuntime } from '#drivers/runtime/client.ts';
import { type Person, signedIn } from '#stack/demo/person.ts';
import { processesIn, signal } from '#stack/process.ts';
import { places } from '#stack/settings.ts';
import { type Installation, installation, ok, statusOf } from '../e2e/installation.ts';
import { EXAMPLES } from '../support/languages/frameworks.ts';
import { type Provider, startProvider } from '../support/provider/provider.ts';

const NAME = 'refunds-langgraph';
const Asked = z.object({ messages: z.array(z.unknown()) });
let i: Installation;
let provider: Provider;
let ada: Person;

beforeAll(async () => {
  provider = await startProvider();
  i = await installation({ SVC_LLM_LOCAL_HOSTS: provider.host, SVC_PAUSE_AFTER_SECONDS: '1', SVC_SUSPEND_AFTER_SECONDS: '2' });
  ok(await i.stack('up'));
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  ada = await signedIn(i.baseUrl, i.home);
  await ada.client.llmCreds.put({
    body: { name: 'main', provider: 'openai_compatible', base_url: provider.url, api_key: 'sk-0123456789abcdefghij', model: 'm-1' },
  });
  const folder = await i.project(NAME, {});
  await cp(join(EXAMPLES, 'langgraph-python'), folder, { recursive: true });
  // The tool's answer, which the model is told, shows how often it was run.
  const agent = await readFile(join(folder, 'agent.py'), 'utf8');
  await writeFile(join(folder, 'agent.py'), agent.replace('return f"Order {order} is refunded."', 'return Path("/tmp/ledger.txt").read_text()'));
  ok(await i.svc('deploy', folder));
});
afterAll(async () => {
  await i?.destroy();
  await provider?.close();
});

test('its question outlives every process; the answer is heard where it was asked, and what it does is done once', async () => {
  const { run_id } = await ada.client.agents.startRun({ params: { name: NAME, skill_name: 'run' }, headers: {}, body: { message: 'Please refund order 7.' } });
  const look = async () => RunOut.parse(await (await ada.client.agents.run({ params: { name: NAME, run_id } })).json());
  const question = await vi.waitFor(async () => {
    const now = await look();
    const wait = now.waits.find(({ kind }) => kind === 'question');
    if (!wait) throw new Error(`no question: ${JSON.stringify(now)}`);
    return wait.wait_id;
  }, 120_000);
  expect(provider.asked).toHaveLength(1);
  const runtime = hostRuntime({ socketPath: places(i.stateDir).hostSocket });
  await vi.waitFor(async () => expect((await runtime.instances()).find(({ agent }) => agent === NAME)?.tier).toBe('suspended'), 120_000);

  const { run, machines } = places(i.stateDir);
  const supervisor = Number(await readFile(join(run, 'supervisor.pid'), 'utf8'));
  const parts = (await statusOf(i)).flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  for (const pid of [supervisor, ...parts]) process.kill(pid, 'SIGKILL');
  for (const machine of processesIn('qemu-', machines)) signal(machine, 'SIGKILL');
  ok(await i.stack('down'));
  ok(await i.stack('up'));

  await ada.client.chat.answerQuestion({ params: { question_id: question }, body: { answer: 'yes' } });
  const done = await vi.waitFor(async () => {
    const now = await look();
    expect(now).toMatchObject({ state: 'succeeded' });
    return now;
  }, 120_000);
  expect(done.result).toBe('Hello, wörld 🙂');
  expect(provider.asked).toHaveLength(2);
  expect(Asked.parse(provider.asked[1]?.body).messages.at(-1)).toMatchObject({ role: 'tool', content: 'Łódź\n' });
});

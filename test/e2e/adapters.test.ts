// The examples of other frameworks in machines of their own, with a scripted model behind the gateway: asked,
// everything killed while they wait, answered. What the person approved is done once, and no request to the
// model comes twice.
import { execFile } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import { RunOut } from '#contract/runs/runs.ts';
import { hostRuntime } from '#drivers/runtime/client.ts';
import { type Person, signedIn } from '#stack/demo/person.ts';
import { places } from '#stack/settings.ts';
import { ENDED, type Example, EXAMPLES } from '../support/languages/model-examples.ts';
import { type Provider, startProvider } from '../support/provider/provider.ts';
import { type Installation, installation, ok, statusOf } from './installation.ts';

type Run = z.infer<typeof RunOut>;

/** `SVC_EXAMPLES=ai-sdk,langgraph`: only these. */
const chosen = process.env.SVC_EXAMPLES?.split(',');
const examples = EXAMPLES.filter(({ folder }) => chosen?.includes(folder) ?? true);
const within = { timeout: 180_000, interval: 200 };

const live: Example[] = [];
/** Of examples that failed; the others go on. */
const problems: string[] = [];
async function tried<T>(example: Example, work: () => Promise<T>): Promise<T | undefined> {
  const { folder } = example;
  const since = performance.now();
  const seconds = (): string => `after ${Math.round((performance.now() - since) / 1_000)} s`;
  try {
    return await work();
  } catch (error) {
    const log = await i.svc('logs', await nameOf(example), '--tail', '40');
    problems.push(`${folder} ${seconds()}: ${error instanceof Error ? error.message : String(error)}\n${log.stdout}${log.stderr}`);
    return undefined;
  }
}

let i: Installation;
let ada: Person;
let provider: Provider;
beforeAll(async () => {
  provider = await startProvider();
  i = await installation({ SVC_PAUSE_AFTER_SECONDS: '1', SVC_SUSPEND_AFTER_SECONDS: '2', SVC_LLM_LOCAL_HOSTS: provider.host });
  ok(await i.stack('up'));
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  ada = await signedIn(i.baseUrl, i.home);
  await ada.client.llmCreds.put({
    body: { name: 'main', provider: 'openai_compatible', base_url: provider.url, api_key: 'sk-0123456789abcdefghij', model: 'm-1' },
  });
  for (const example of examples) if (await tried(example, async () => ok(await i.svc('deploy', await projectOf(example))))) live.push(example);
  ok(await i.svc('deploy', await i.project('payer', FILES)));
}, 3_600_000);
afterAll(async () => {
  await i?.destroy();
  await provider?.close();
});

/** A copy, whose tool also says how many lines its ledger has in all. */
async function projectOf({ folder }: Example): Promise<string> {
  const to = join(dirname(i.home), 'projects', folder);
  await cp(join(import.meta.dirname, '../../examples', folder), to, { recursive: true });
  await rm(join(to, 'node_modules'), { recursive: true, force: true });
  const agent = join(to, 'agent.py');
  const text = await readFile(agent, 'utf8').catch(() => undefined);
  if (text === undefined) return to;
  const counted = `f"Order {order} is refunded, refunds: {len(Path(os.environ.get('LEDGER', '/tmp/ledger.txt')).read_text().splitlines())}"`;
  expect(text).toContain('f"Order {order} is refunded."');
  await writeFile(agent, text.replace('f"Order {order} is refunded."', counted));
  return to;
}

const nameOf = async ({ folder }: Example): Promise<string> =>
  /^name: (\S+)$/m.exec(await readFile(join(import.meta.dirname, '../../examples', folder, 'svc.yaml'), 'utf8'))?.[1] ?? '';

const FILES = {
  'svc.yaml': 'name: payer\nversion: 0.1.0\nentrypoint: agent:default\n',
  'package.json': JSON.stringify({
    name: 'payer',
    private: true,
    type: 'module',
    dependencies: { '@langchain/core': '1.4.0', '@langchain/langgraph': '1.7.3', zod: '4.6.7' },
  }),
  'graph.ts': `import { appendFileSync, readFileSync } from 'node:fs';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { ask } from '@svc/sdk/adapters/langgraph';

/** Lines of a file that the agent's machine has. */
const count = (name: string): number => {
  appendFileSync('/tmp/' + name, 'x\\n');
  return readFileSync('/tmp/' + name, 'utf8').length / 2;
};
const State = Annotation.Root({ order: Annotation<string>, answer: Annotation<string>, ran: Annotation<number>, paid: Annotation<number> });
export const graph = new StateGraph(State)
  .addNode('pay', async ({ order }) => {
    const ran = count('ran');
    const answer = await ask('Pay ' + order + '?');
    return { answer, ran, paid: answer === 'yes' ? count('paid') : 0 };
  })
  .addEdge(START, 'pay')
  .addEdge('pay', END)
  .compile();
`,
  'agent.ts': `import { fromLangGraph } from '@svc/sdk/adapters/langgraph';
import { graph } from './graph.ts';

export default fromLangGraph(graph, { name: 'payer', description: 'Pays when a person says so.' });
`,
};

interface Waiting {
  example: Example;
  name: string;
  run_id: string;
  wait: Run['waits'][number];
}

const lookAt = async (name: string, run_id: string): Promise<Run> => RunOut.parse(await (await ada.client.agents.run({ params: { name, run_id } })).json());

/** The run once it is so, or has failed: what failed is not waited for. */
const until = (name: string, run_id: string, isSo: (run: Run) => boolean): Promise<Run> =>
  vi.waitFor(async () => {
    const run = await lookAt(name, run_id);
    if (run.state !== 'failed' && !isSo(run)) throw new Error(`${name} is ${run.state}`);
    return run;
  }, within);

async function ask(example: Example): Promise<Waiting> {
  provider.turns = [...(example.first ? [{ calls: [example.first] }] : []), { calls: [example.calls] }, ...(example.asksLast ? [ENDED] : [])];
  const waiting = await waits(await nameOf(example), example.args);
  expect(provider.turns, waiting.name).toEqual([]);
  return { example, ...waiting };
}

async function waits(name: string, body: Record<string, unknown>): Promise<Omit<Waiting, 'example'>> {
  const { run_id } = await ada.client.agents.startRun({ params: { name, skill_name: 'run' }, headers: {}, body });
  const { waits, state, error } = await until(name, run_id, ({ waits }) => waits.length > 0);
  const [wait] = waits;
  if (!wait) throw new Error(`${name} did not wait: ${state} ${JSON.stringify(error)}`);
  return { name, run_id, wait };
}

async function answer({ name, run_id, wait }: Omit<Waiting, 'example'>, said: Example['answer']): Promise<Run> {
  const { wait_id } = wait;
  if (wait.kind === 'input_request' && typeof said !== 'string') await ada.client.chat.giveInput({ params: { request_id: wait_id }, body: { values: said } });
  else await ada.client.chat.answerQuestion({ params: { question_id: wait_id }, body: { answer: said } });
  const run = await until(name, run_id, ({ state }) => state === 'succeeded');
  expect(run, name).toMatchObject({ state: 'succeeded' });
  return run;
}

async function killAll(): Promise<void> {
  const supervisor = Number(await readFile(join(places(i.stateDir).run, 'supervisor.pid'), 'utf8'));
  const parts = (await statusOf(i)).flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  for (const pid of [supervisor, ...parts]) process.kill(pid, 'SIGKILL');
  ok(await i.stack('down'));
  ok(await i.stack('up'));
}

test('what waits for an approval goes on in the next line after everything was killed, and is done once', async () => {
  const waiting: Waiting[] = [];
  for (const example of live) {
    const one = await tried(example, () => ask(example));
    if (one) waiting.push(one);
  }
  const payer = await waits('payer', { order: 'o-1' });
  const runtime = hostRuntime({ socketPath: places(i.stateDir).hostSocket });
  await vi.waitFor(async () => {
    const all = [...waiting, payer];
    const tiers = (await runtime.instances()).filter(({ agent }) => all.some(({ name }) => name === agent)).map(({ tier }) => tier);
    expect(tiers).toEqual(all.map(() => 'suspended'));
  }, within);
  await killAll();
  for (const one of waiting) await tried(one.example, () => goesOn(one));
  // Its node ran once, and so did what it does.
  expect((await answer(payer, 'yes')).result).toEqual({ order: 'o-1', answer: 'yes', ran: 1, paid: 1 });
  expect(problems).toEqual([]);
}, 3_600_000);

async function goesOn(one: Waiting): Promise<void> {
  const { asksLast, answer: said } = one.example;
  provider.asked.length = 0;
  provider.turns = asksLast ? [] : [ENDED];
  const { result, job_id } = await answer(one, said);
  expect(JSON.stringify(result)).toContain('It is refunded.');
  const { items } = await ada.client.workLedger.events({ params: { job_id: job_id ?? '' }, query: { limit: 200 } });
  const tools = items.filter(({ kind, payload }) => kind === 'run.tool' && payload['phase'] === 'finished');
  expect(JSON.stringify(tools.map(({ payload }) => payload['summary']))).toMatch(/refunds\\*":? ?1\b|refunds: 1\b/);
  // One turn after the answer, none where the person read the last one: nothing was asked again.
  expect(provider.asked).toHaveLength(asksLast ? 0 : 1);
}

test('the provider’s key is in no log of the installation', async () => {
  const { stdout } = await promisify(execFile)('grep', ['-rlF', 'sk-0123456789abcdefghij', i.stateDir], { maxBuffer: 2 ** 24 }).catch((error: unknown) => {
    // 1: it is nowhere.
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 1) return { stdout: '' };
    throw error;
  });
  expect(stdout).toBe('');
});

// A project of another framework becomes an agent as its owner does it: `svc init NAME --from FOLDER`,
// deploy, call, answer. One of each language; of all frameworks with SVC_SLOW=1.
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import { RunOut } from '#contract/runs/runs.ts';
import { MODEL_EXAMPLES } from '#sdk/typescript/adapters/test/examples.ts';
import { type Person, signedIn } from '#stack/demo/person.ts';
import { ENDED, type Example, EXAMPLES } from '../support/languages/model-examples.ts';
import { type Provider, startProvider } from '../support/provider/provider.ts';
import { type Installation, installation, ok } from './installation.ts';

type Run = z.infer<typeof RunOut>;

const ONE_OF_EACH_LANGUAGE = ['langgraph', 'pydantic-ai'];
const chosen = process.env.SVC_EXAMPLES?.split(',') ?? (process.env.SVC_SLOW === '1' ? undefined : ONE_OF_EACH_LANGUAGE);
const examples = EXAMPLES.filter(({ folder }) => chosen?.includes(folder) ?? true);
const within = { timeout: 180_000, interval: 200 };

let i: Installation;
let ada: Person;
let provider: Provider;
beforeAll(async () => {
  provider = await startProvider();
  i = await installation({ SVC_LLM_LOCAL_HOSTS: provider.host });
  ok(await i.stack('up'));
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  ada = await signedIn(i.baseUrl, i.home);
  await ada.client.llmCreds.put({
    body: { name: 'main', provider: 'openai_compatible', base_url: provider.url, api_key: 'sk-0123456789abcdefghij', model: 'm-1' },
  });
});
afterAll(async () => {
  await i?.destroy();
  await provider?.close();
});

/** The example as it was before it was an agent of ours. */
async function withoutUs(folder: string): Promise<string> {
  const to = join(dirname(i.home), 'projects', `adopted-${folder}`);
  await cp(join(import.meta.dirname, '../../examples', folder), to, { recursive: true });
  for (const name of ['node_modules', 'svc.yaml', 'agent.ts', 'quickstart.py', 'package-lock.json']) await rm(join(to, name), { recursive: true, force: true });
  const agent = join(to, 'agent.py');
  const text = await readFile(agent, 'utf8').catch(() => undefined);
  if (text === undefined) return to;
  const own = text.replace(/^\w+ = from_\w+\([\s\S]*/m, '').replace(/^(from svc\.adapters\.\w+ import .*?)(?:, )?from_\w+$/m, '$1');
  await writeFile(agent, own.replace(/^from svc\.adapters\.\w+ import $/m, ''));
  return to;
}

/** What `from_langgraph` takes without `input` is the graph's state, in both languages. */
const argsOf = ({ folder, args }: Example): Record<string, unknown> =>
  folder === 'langgraph-python' ? MODEL_EXAMPLES.langgraph.args('Please refund order 7.') : args;

test.each(examples.map((example) => [example.folder, example] as const))('%s: init, deploy, call and question', async (folder, example) => {
  const name = `adopted-${folder}`;
  const project = await withoutUs(folder);
  ok(await i.svc('init', name, '--from', project));
  ok(await i.svc('deploy', project));
  const { calls, first, asksLast, answer } = example;
  provider.turns = [...(first ? [{ calls: [first] }] : []), { calls: [calls] }, ENDED];
  const { run_id } = await ada.client.agents.startRun({ params: { name, skill_name: 'run' }, headers: {}, body: argsOf(example) });
  const look = async (): Promise<Run> => RunOut.parse(await (await ada.client.agents.run({ params: { name, run_id } })).json());
  const until = (isSo: (run: Run) => boolean): Promise<Run> =>
    vi.waitFor(async () => {
      const run = await look();
      if (run.state !== 'failed' && !isSo(run)) throw new Error(`${name} is ${run.state}`);
      return run;
    }, within);
  const asking = await until(({ waits }) => waits.length > 0);
  const [wait] = asking.waits;
  if (!wait) throw new Error(`${name} did not ask: ${asking.state} ${JSON.stringify(asking.error)}`);
  expect(provider.turns).toHaveLength(asksLast ? 0 : 1);
  if (wait.kind === 'input_request' && typeof answer !== 'string')
    await ada.client.chat.giveInput({ params: { request_id: wait.wait_id }, body: { values: answer } });
  else await ada.client.chat.answerQuestion({ params: { question_id: wait.wait_id }, body: { answer } });
  const run = await until(({ state }) => state === 'succeeded');
  expect(run, JSON.stringify(run.error)).toMatchObject({ state: 'succeeded' });
  expect(JSON.stringify(run.result)).toContain('It is refunded.');
});

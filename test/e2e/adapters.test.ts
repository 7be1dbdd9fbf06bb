// A graph of LangGraph in a machine of its own: asked, everything killed during the question, answered. Its node ran once, and so did what it does.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { RunOut } from '#contract/agents/runs.ts';
import { hostRuntime } from '#drivers/runtime/client.ts';
import { type Person, signedIn } from '#stack/demo/person.ts';
import { places } from '#stack/settings.ts';
import { type Installation, installation, ok, statusOf } from './installation.ts';

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

let i: Installation;
let ada: Person;
beforeAll(async () => {
  i = await installation({ SVC_PAUSE_AFTER_SECONDS: '1', SVC_SUSPEND_AFTER_SECONDS: '2' });
  ok(await i.stack('up'));
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  ada = await signedIn(i.baseUrl, i.home);
  ok(await i.svc('deploy', await i.project('payer', FILES)));
}, 600_000);
afterAll(() => i?.destroy(), 120_000);

test('what waits in a node goes on in the next line after everything was killed', async () => {
  const run = await ada.client.agents.startRun({ params: { name: 'payer', skill_name: 'run' }, headers: {}, body: { order: 'o-1' } });
  const lookAt = async () => RunOut.parse(await (await ada.client.agents.run({ params: { name: run.agent, run_id: run.run_id } })).json());
  const within = { timeout: 120_000, interval: 200 };
  const question_id = await vi.waitFor(async () => {
    const wait = (await lookAt()).waits.find(({ kind }) => kind === 'question');
    if (!wait) throw new Error('it does not wait');
    return wait.wait_id;
  }, within);
  const runtime = hostRuntime({ socketPath: places(i.stateDir).hostSocket });
  const tier = async () => (await runtime.instances()).find(({ agent }) => agent === 'payer')?.tier;
  await vi.waitFor(async () => expect(await tier()).toBe('suspended'), within);
  const supervisor = Number(await readFile(join(places(i.stateDir).run, 'supervisor.pid'), 'utf8'));
  const parts = (await statusOf(i)).flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  for (const pid of [supervisor, ...parts]) process.kill(pid, 'SIGKILL');
  ok(await i.stack('down'));
  ok(await i.stack('up'));
  await ada.client.chat.answerQuestion({ params: { question_id }, body: { answer: 'yes' } });
  await vi.waitFor(async () => expect(await lookAt()).toMatchObject({ state: 'succeeded' }), within);
  expect((await lookAt()).result).toEqual({ order: 'o-1', answer: 'yes', ran: 1, paid: 1 });
});

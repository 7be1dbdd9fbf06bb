// A person's own ollama behind svc chat: set up without a key, checked, asked over the wire, its call of a
// skill run, its words told as they come.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LlmCredentialIn } from '#contract/money/llm-creds.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { languageModels } from '#drivers/llm/models.ts';
import { startOllama, type Ollama } from '#drivers/llm/test/ollama.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { liveAgent } from '#test/support/runs.ts';
import { openStates } from '../../jobs/model.ts';
import { transitionJob } from '../../jobs/transition.ts';
import { putCredential } from '../../money/llm/put.ts';
import { startTurn } from '../chat/begin.ts';
import { presentTurn } from '../chat/present.ts';
import { readThreadEvents } from '../../threads/read.ts';
import { advancePlan } from './advance.ts';
import { thinkOfPlan } from './think.ts';

let t: TestContext;
let ollama: Ollama;
let models: ReturnType<typeof languageModels>;
beforeAll(async () => {
  t = await testContext();
  ollama = await startOllama(['llama3.2'], ({ messages, tools = [] }) => {
    const tool = tools.find(({ function: { name } }) => name.endsWith('__greet'));
    return tool && messages.at(-1)?.role === 'user' ? { tool: { name: tool.function.name, arguments: { name: 'Ada' } } } : { text: ['It ', 'says hello.'] };
  });
  models = languageModels({ localHosts: [ollama.host] });
});
afterAll(async () => {
  await t.close();
  await models.close();
  await ollama.close();
});

test('a skill is called as the model says, and its words are told piece by piece', async () => {
  const ada = await t.user('ada');
  const ctx = { ...ada, drivers: { ...ada.drivers, llm: models } };
  const { name, id, deployId } = await liveAgent(t.ctx, ada.actor.user_id, { visibility: 'unlisted' });
  const input_schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  const skills = [{ id: 'greet', name: 'Greet', description: 'Greets people', input_schema, output_schema: {} }];
  const card = JSON.stringify(AgentCard.parse({ name, description: 'Greets', version: '1.0.0', skills }));
  await t.ctx
    .db('agents')
    .where({ agent_id: id })
    .update({ card, search_text: `${name} greet people` });
  await t.ctx.db('deployments').where({ deploy_id: deployId }).update({ card });

  const stored = await putCredential(
    ctx,
    LlmCredentialIn.parse({ name: 'local', provider: 'ollama', base_url: ollama.url, model: 'llama3.2', default: true, probe: true }),
  );
  expect(stored).toMatchObject({ has_key: false, check: { state: 'works' } });

  const { turn } = await startTurn({ ...ctx, requestId: randomUUID() }, { message: 'greet Ada please', model: true });
  const now = async () => {
    const shown = await presentTurn(ctx, turn.turn_id);
    if (!shown) throw new Error('no turn');
    return shown;
  };
  const drive = async (): Promise<void> => {
    const dag = (await now()).dag_run_id ?? '';
    while ((await advancePlan(ctx, dag)) === 'think') await thinkOfPlan(ctx, dag, AbortSignal.timeout(10_000));
  };
  await drive();
  const [run] = (await now()).runs;
  expect(run).toMatchObject({ agent: name, skill: 'greet' });
  // Nobody drives the run here: its agent's answer.
  await transitionJob(t.ctx.db, run?.job_id ?? '', { from: openStates, to: 'succeeded', output: { result: { greeting: 'Hello, Ada!' } } });
  await drive();
  const ended = await now();
  expect(ended).toMatchObject({ state: 'succeeded', text: 'It says hello.' });
  const events = await readThreadEvents(t.ctx.db, ended.thread_id, 0);
  expect(events.some(({ kind }) => kind === 'turn.text_delta')).toBe(true);
  expect(ollama.asked.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', content: JSON.stringify({ greeting: 'Hello, Ada!' }) });
  expect(ollama.asked.every(({ authorization }) => authorization === undefined)).toBe(true);
});

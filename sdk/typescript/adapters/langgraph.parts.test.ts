// LangGraph in its lowest and its newest supported version, each installed on its own, with a scripted model.
import { expect, test } from 'vitest';
import { proveAdapter, type ModelAdapter } from './test/suite.ts';

const VERSIONS = {
  'langgraph 1.0.0': ['@langchain/langgraph@1.0.0', '@langchain/core@1.4.0', '@langchain/openai@1.6.0', 'zod@4.1.8', 'zod-to-json-schema@3.25.0'],
  'langgraph 1.7.3': ['@langchain/langgraph@1.7.3', '@langchain/core@1.4.0', '@langchain/openai@1.6.0', 'zod@4.6.7'],
};

/** Graphs without a model, for what the example does not show. Each writes how often its node ran. */
const MORE = `import { appendFileSync } from 'node:fs';
import { Annotation, END, interrupt, MemorySaver, START, StateGraph } from '@langchain/langgraph';
import { z } from 'zod';
import { ask, currentRun, fromLangGraph } from '@svc/sdk/adapters/langgraph';

const State = Annotation.Root({ question: Annotation<string>, answer: Annotation<string> });
const ran = (node: string) => appendFileSync('ran.txt', node + '\\n');

const interrupted = new StateGraph(State)
  .addNode('approve', async ({ question }) => (ran('interrupted'), { answer: interrupt<{ question: string }, string>({ question }) }))
  .addEdge(START, 'approve').addEdge('approve', END).compile({ checkpointer: new MemorySaver() });
export const Interrupted = fromLangGraph(interrupted, { name: 'interrupted', description: 'Interrupts.' });

const asking = new StateGraph(State)
  .addNode('approve', async ({ question }) => (ran('asking'), { answer: await ask(question) }))
  .addEdge(START, 'approve').addEdge('approve', END).compile();
export const Asking = fromLangGraph(asking, { name: 'asking', description: 'Asks.' });

const Order = z.object({ id: z.string(), count: z.int().default(1) });
const Paid = z.object({ total: z.number() });
const typed = new StateGraph({ state: Order.extend(Paid.partial().shape), input: Order, output: Paid })
  .addNode('pay', async ({ count }, config) => (config.writer?.({ half: true }), await currentRun().emitProgress('paying'), { total: count * 2 }))
  .addEdge(START, 'pay').addEdge('pay', END).compile();
export const Typed = fromLangGraph(typed, { name: 'typed', description: 'Pays.', skill: 'pay', input: Order, output: Paid });
export const Untyped = fromLangGraph(typed, { name: 'untyped', description: 'Pays.' });

const two = new StateGraph(Annotation.Root({ left: Annotation<string>, right: Annotation<string> }))
  .addNode('l', async () => ({ left: interrupt<string, string>('left?') })).addNode('r', async () => ({ right: interrupt<string, string>('right?') }))
  .addEdge(START, 'l').addEdge(START, 'r').addEdge('l', END).addEdge('r', END).compile({ checkpointer: new MemorySaver() });
export const Two = fromLangGraph(two, { name: 'two', description: 'Asks twice.' });

const reviewed = new StateGraph(State)
  .addNode('review', async () => ({ answer: JSON.stringify(interrupt({ actionRequests: [{ name: 'send', args: { to: 'ada' } }], reviewConfigs: [] })) }))
  .addEdge(START, 'review').addEdge('review', END).compile({ checkpointer: new MemorySaver() });
export const Reviewed = fromLangGraph(reviewed, { name: 'reviewed', description: 'Is reviewed.' });
`;

const TYPED = `import { testAgent } from '@svc/sdk/testing';
import { Typed } from './more.ts';
const total: number = (await testAgent(Typed).invoke('pay', { id: 'x' })).result.total;
// @ts-expect-error a number is no id
await testAgent(Typed).invoke('pay', { id: total });
`;

interface Told {
  messages: { role: string; content: unknown; tool_calls?: unknown }[];
}
/** The graph's own output. */
const messagesOf = (result: unknown): Told['messages'] => (result as Told).messages;

const adapter: ModelAdapter = {
  example: 'langgraph',
  versions: VERSIONS,
  files: () => ({ 'more.ts': MORE, 'typed.ts': TYPED }),
  question: 'Pay 120 EUR back for o-1? (yes or no)',
  saidIn: (result) => messagesOf(result).at(-1)?.content,
  decline: { answer: 'no' },
  alsoApproved: ({ result, events }) => {
    const messages = messagesOf(result);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant']);
    expect(messages.at(-1)).toEqual({ role: 'assistant', content: 'I have paid it back.' });
    expect(messages[1]).toMatchObject({ tool_calls: [{ function: { name: 'lookUpOrder', arguments: '{"orderId":"o-1"}' } }] });
    const steps = events.filter(({ kind }) => kind === 'step').map(({ payload }) => payload['node']);
    expect(steps).toEqual(['agent', 'tools', 'agent', 'tools', 'agent']);
  },
  sender: false,
  judge: false,
};

proveAdapter(adapter, (at) => {
  const runsOf = async (node: string): Promise<number> => (await at.linesOf('ran.txt')).filter((line) => line === node).length;

  test('LangGraph runs an interrupted node twice; a node that asks runs once', async () => {
    const once = await at.call({ file: './more.ts', exported: 'Asking', skill: 'run', args: { question: 'Pay?' }, answers: ['yes'] });
    const twice = await at.call({ file: './more.ts', exported: 'Interrupted', skill: 'run', args: { question: 'Pay?' }, answers: ['yes'] });
    for (const told of [once, twice]) expect(told).toMatchObject({ result: { question: 'Pay?', answer: 'yes' }, questions: ['Pay?'] });
    expect(await runsOf('interrupted')).toBe(2);
    expect(await runsOf('asking')).toBe(1);
  });

  test('two interrupts at a time get each its own answer', async () => {
    const told = await at.call({ file: './more.ts', exported: 'Two', skill: 'run', args: {}, answers: ['L', 'R'] });
    expect(told.questions.toSorted()).toEqual(['left?', 'right?']);
    const answerTo = (question: string): string | undefined => ['L', 'R'][told.questions.indexOf(question)];
    expect(told.result).toEqual({ left: answerTo('left?'), right: answerTo('right?') });
  });

  test.each([
    ['{"decision":"approve"}', { type: 'approve' }],
    ['{"decision":"reject","message":"no"}', { type: 'reject', message: 'no' }],
  ])('a review of LangChain’s middleware is a form: %s', async (answer, expected) => {
    const told = await at.call({ file: './more.ts', exported: 'Reviewed', skill: 'run', args: {}, answers: [answer] });
    expect(told.questions).toEqual(['May the agent call send with {"to":"ada"}?']);
    expect(JSON.parse((told.result as { answer: string }).answer)).toEqual({ decisions: [expected] });
  });

  test('input and output are the graph’s own', async () => {
    const typed = { file: './more.ts', exported: 'Typed', skill: 'pay' };
    const told = await at.call({ ...typed, args: { id: 'x', count: 3 } });
    expect(told.result).toEqual({ total: 6 });
    expect(told.events).toMatchObject(
      expect.arrayContaining(
        [
          { kind: 'custom', payload: { data: { half: true } } },
          { kind: 'progress', payload: { message: 'paying' } },
        ].map((one) => expect.objectContaining(one)),
      ),
    );
    expect((await at.call({ ...typed, args: { count: 3 } })).error).toMatch(/^SkillInputError/);
    const untyped = await at.card('./more.ts').catch(() => undefined);
    expect(untyped).toBeUndefined();
    const { card } = await at.call({ file: './more.ts', exported: 'Untyped' });
    expect(card.skills[0]).toMatchObject({
      input_schema: { properties: { id: { type: 'string' }, count: { type: 'integer' } }, required: ['id'] },
      output_schema: { properties: { total: { type: 'number' } } },
    });
    expect((await at.card()).skills[0]).toMatchObject({
      input_schema: { properties: { messages: { type: 'array', items: { required: ['role', 'content'] } } }, required: [] },
    });
  });
});

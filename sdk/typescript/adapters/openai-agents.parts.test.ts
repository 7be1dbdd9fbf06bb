// OpenAI Agents in its lowest and its newest supported version, each installed on its own, with a scripted
// model.
import { expect, test } from 'vitest';
import { proveAdapter, type ModelAdapter } from './test/suite.ts';

const VERSIONS = {
  'openai-agents 0.4.0': ['@openai/agents@0.4.0', 'zod@4.1.8'],
  'openai-agents 0.20.0': ['@openai/agents@0.20.0', 'zod@4.6.7'],
};

const MORE = `import { Agent, Runner, tool } from '@openai/agents';
import { z } from 'zod';
import { ask, fromOpenAIAgents } from '@svc/sdk/adapters/openai-agents';

const Verdict = z.object({ verdict: z.enum(['yes', 'no']), why: z.string() });
const runner = new Runner({ workflowName: 'judging' });
const input = z.object({ claim: z.string() });
export const Judge = fromOpenAIAgents(new Agent({ name: 'Judge', instructions: 'Judge.', outputType: Verdict }), {
  run: runner.run.bind(runner), name: 'judge', description: 'Judges.', skill: 'judge', input, prompt: ({ claim }) => 'Is it so? ' + claim,
});

const send = tool({ name: 'send', description: 'Sends.', parameters: z.object({ to: z.string() }), execute: async ({ to }) => ask('Send to ' + to + '?') });
export const Sender = fromOpenAIAgents(new Agent({ name: 'Sender', instructions: 'Send.', tools: [send] }), {
  run: runner.run.bind(runner), name: 'sender', description: 'Sends.', options: { maxTurns: 2 },
});
`;

const TYPED = `import { testAgent } from '@svc/sdk/testing';
import Support from './agent.ts';
import { Judge } from './more.ts';
const said: string = (await testAgent(Support).invoke('run', { message: 'x' })).result;
const verdict: 'yes' | 'no' = (await testAgent(Judge).invoke('judge', { claim: said })).result.verdict;
// @ts-expect-error an argument of another name
await testAgent(Judge).invoke('judge', { message: verdict });
`;

const adapter: ModelAdapter = {
  example: 'openai-agents',
  versions: VERSIONS,
  files: () => ({ 'more.ts': MORE, 'typed.ts': TYPED }),
  decline: { answer: '{"approved":false,"reason":"too late"}', heard: /too late|not approved/ },
  alsoApproved: ({ events }) => expect(events).toContainEqual({ kind: 'handoff', payload: { from: 'Support', to: 'Refunds' } }),
};

proveAdapter(adapter, (at) => {
  test('an agent without a type of its own answers text', async () => {
    expect((await at.card()).skills[0]?.output_schema).toEqual({ type: 'string' });
  });
});

// Google ADK 2.0.0, the only supported version so far, installed on its own, with a scripted model. (1.x
// requires peers that no longer install together.)
import { expect, test } from 'vitest';
import { call } from './test/examples.ts';
import { toolsIn } from './test/steps.ts';
import { proveAdapter } from './test/suite.ts';

const VERSIONS = {
  'adk 2.0.0': ['@google/adk@2.0.0', 'zod@4.6.7'],
};

const MORE = `import { FunctionTool, InMemoryRunner, LlmAgent } from '@google/adk';
import { z } from 'zod';
import { orderOf } from './orders.ts';
import { ask, fromGoogleADK } from '@svc/sdk/adapters/google-adk';

const model = 'gemini-2.5-flash';
const lookUpOrder = new FunctionTool({ name: 'lookUpOrder', description: 'Looks.', parameters: z.object({ orderId: z.string() }), execute: async ({ orderId }) => orderOf(orderId) });
const orders = new LlmAgent({ name: 'orders', description: 'Knows orders.', model, instruction: 'Look.', tools: [lookUpOrder] });
const support = new LlmAgent({ name: 'support', model, instruction: 'Help.', subAgents: [orders] });
export const Support = fromGoogleADK(new InMemoryRunner({ agent: support, appName: 'support' }), { name: 'support', description: 'Helps.' });

const send = new FunctionTool({ name: 'send', description: 'Sends.', parameters: z.object({ to: z.string() }), execute: async ({ to }) => ({ sent: await ask('Send to ' + to + '?') }) });
const sender = new LlmAgent({ name: 'sender', model, instruction: 'Send.', tools: [send] });
export const Sender = fromGoogleADK(new InMemoryRunner({ agent: sender, appName: 'sender' }), { name: 'sender', description: 'Sends.' });

const Verdict = z.object({ verdict: z.enum(['yes', 'no']), why: z.string() });
const judge = new LlmAgent({ name: 'judge', model, instruction: 'Judge.', outputSchema: Verdict });
const input = z.object({ claim: z.string() });
export const Judge = fromGoogleADK(new InMemoryRunner({ agent: judge, appName: 'judge' }), {
  name: 'judge', description: 'Judges.', skill: 'judge', input, output: Verdict, prompt: ({ claim }) => 'Is it so? ' + claim,
});
`;

const TYPED = `import { testAgent } from '@svc/sdk/testing';
import { Judge, Support } from './more.ts';
const said: string = (await testAgent(Support).invoke('run', { message: 'x' })).result;
const verdict: 'yes' | 'no' = (await testAgent(Judge).invoke('judge', { claim: said })).result.verdict;
// @ts-expect-error an argument of another name
await testAgent(Judge).invoke('judge', { message: verdict });
`;

const adapter = {
  example: 'google-adk' as const,
  versions: VERSIONS,
  files: () => ({ 'more.ts': MORE, 'typed.ts': TYPED }),
  decline: { answer: '{"approved":false}' },
};

proveAdapter(adapter, (at) => {
  test('a handoff is reported, with the tools of the next agent', async () => {
    at.script([
      { calls: [call('transfer_to_agent', { agentName: 'orders', agent_name: 'orders' })] },
      { calls: [call('lookUpOrder', { orderId: 'o-1' })] },
      { says: ['It is on its way.'] },
      // ADK lets the first agent have the last word.
      { says: ['Done.'] },
    ]);
    const ran = await at.call({ file: './more.ts', exported: 'Support', skill: 'run', args: { message: 'Where is o-1?' } });
    expect(ran).toMatchObject({ result: 'Done.' });
    expect(ran.events).toContainEqual({ kind: 'handoff', payload: { from: 'support', to: 'orders' } });
    expect(toolsIn(ran)).toEqual([
      ['lookUpOrder', 'started'],
      ['lookUpOrder', 'finished'],
    ]);
  });
});

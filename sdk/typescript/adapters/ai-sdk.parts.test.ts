// The AI SDK in its lowest and its newest supported version, each installed on its own, with a scripted
// model.
import { expect, test } from 'vitest';
import { proveAdapter } from './test/suite.ts';

const VERSIONS = {
  'ai 6.0.0': ['ai@6.0.0', '@ai-sdk/openai@3.0.0', 'zod@4.1.8'],
  'ai 7.0.0': ['ai@7.0.0', '@ai-sdk/openai@4.0.0', 'zod@4.1.8'],
  'ai 7.0.173': ['ai@7.0.173', '@ai-sdk/openai@4.0.118', 'zod@4.6.7'],
};

/** Other agents of the same framework, for what the example does not show. */
const MORE = `import { openai } from '@ai-sdk/openai';
import { Output, ToolLoopAgent, tool } from 'ai';
import { z } from 'zod';
import { ask, fromAISDK } from '@svc/sdk/adapters/ai-sdk';

const Verdict = z.object({ verdict: z.enum(['yes', 'no']), why: z.string() });
const judge = new ToolLoopAgent({ model: openai('gpt-5-mini'), output: Output.object({ schema: Verdict }) });
const input = z.object({ claim: z.string() });
export const Judge = fromAISDK(judge, { name: 'judge', description: 'Judges.', skill: 'judge', input, output: Verdict, prompt: ({ claim }) => 'Is it so? ' + claim });

const sender = new ToolLoopAgent({
  model: openai('gpt-5-mini'),
  tools: { send: tool({ inputSchema: z.object({ to: z.string() }), execute: async ({ to }) => ({ sent: await ask('Send to ' + to + '?') }) }) },
});
export const Sender = fromAISDK(sender, { name: 'sender', description: 'Sends.', concurrency: 3 });
`;

const TYPED = `import { testAgent } from '@svc/sdk/testing';
import Support from './agent.ts';
import { Judge } from './more.ts';
const said: string = (await testAgent(Support).invoke('run', { message: 'x' })).result;
const verdict: 'yes' | 'no' = (await testAgent(Judge).invoke('judge', { claim: said })).result.verdict;
// @ts-expect-error an argument of another name
await testAgent(Judge).invoke('judge', { message: verdict });
// @ts-expect-error a skill of another name
await testAgent(Judge).invoke('run', { claim: '' });
`;

const adapter = {
  example: 'ai-sdk' as const,
  versions: VERSIONS,
  files: () => ({ 'more.ts': MORE, 'typed.ts': TYPED }),
  decline: { answer: '{"approved":false,"reason":"too late"}', heard: /too late/ },
};

proveAdapter(adapter, (at) => {
  test('what the agent is given besides is on the card', async () => {
    expect((await at.call({ file: './more.ts', exported: 'Sender' })).card).toMatchObject({ runtime: { concurrency: 3 } });
  });
});

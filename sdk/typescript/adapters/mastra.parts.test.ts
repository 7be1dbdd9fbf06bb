// Mastra in its lowest and its newest supported version, each installed on its own, with a scripted model.
import { expect, test } from 'vitest';
import { proveAdapter } from './test/suite.ts';

const VERSIONS = {
  'mastra 1.0.4': ['@mastra/core@1.0.4', '@ai-sdk/openai@3.0.0', 'zod@4.1.8'],
  'mastra 1.71.0': ['@mastra/core@1.71.0', '@ai-sdk/openai@4.0.0', 'zod@4.6.7'],
};

const MORE = `import { appendFileSync } from 'node:fs';
import { openai } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { z } from 'zod';
import { ask, fromMastra } from '@svc/sdk/adapters/mastra';

const ran = (step: string) => appendFileSync('ran.txt', step + '\\n');
const inputSchema = z.object({ order: z.string() });
const outputSchema = z.object({ paid: z.boolean() });

const suspending = createStep({
  id: 'pay', inputSchema, outputSchema, suspendSchema: z.object({ question: z.string() }), resumeSchema: z.object({ paid: z.boolean() }),
  execute: async ({ inputData, resumeData, suspend }) => {
    ran('suspending');
    if (!resumeData) return suspend({ question: 'Pay ' + inputData.order + '?' });
    return { paid: resumeData.paid };
  },
});
export const workflow = createWorkflow({ id: 'paying', inputSchema, outputSchema }).then(suspending).commit();
const asking = createStep({
  id: 'ask', inputSchema, outputSchema,
  execute: async ({ inputData }) => (ran('asking'), { paid: (await ask('Pay ' + inputData.order + '?')) === 'yes' }),
});
export const inPlace = createWorkflow({ id: 'asking', inputSchema, outputSchema }).then(asking).commit();

const send = createTool({ id: 'send', description: 'Sends.', inputSchema: z.object({ to: z.string() }), execute: async ({ to }) => ({ sent: await ask('Send to ' + to + '?') }) });
const sender = new Agent({ id: 'sender', name: 'Sender', instructions: 'Send.', model: openai('gpt-5-mini'), tools: { send } });
export const mastra = new Mastra({ workflows: { workflow, inPlace }, agents: { sender }, storage: new InMemoryStore(), logger: false });

export const Paying = fromMastra(workflow, { name: 'paying', description: 'Pays.', skill: 'pay' });
export const Asking = fromMastra(inPlace, { name: 'asking', description: 'Asks.', skill: 'pay' });
export const Sender = fromMastra(sender, { name: 'sender', description: 'Sends.' });
`;

const TYPED = `import { testAgent } from '@svc/sdk/testing';
import Support from './agent.ts';
import { Paying } from './more.ts';
const said: string = (await testAgent(Support).invoke('run', { message: 'x' })).result;
const paid: boolean = (await testAgent(Paying).invoke('pay', { order: said })).result.paid;
export { paid };
`;
/** Mastra 1.0 says of a schema only that there is one. */
const REFUSED = `import { testAgent } from '@svc/sdk/testing';
import { Paying } from './more.ts';
// @ts-expect-error a boolean is no order
await testAgent(Paying).invoke('pay', { order: true });
`;

const adapter = {
  example: 'mastra' as const,
  versions: VERSIONS,
  files: (version: string) => ({ 'more.ts': MORE, 'typed.ts': TYPED, ...(version !== 'mastra 1.0.4' && { 'refused.ts': REFUSED }) }),
  decline: { answer: '{"approved":false}' },
  judge: false as const,
};

proveAdapter(adapter, (at) => {
  test('a workflow has its own types; Mastra runs a suspended step twice, a step that asks runs once', async () => {
    const paying = { file: './more.ts', skill: 'pay', args: { order: 'o-1' } };
    const suspended = await at.call({ ...paying, exported: 'Paying', answers: ['{"paid":true}'] });
    expect(suspended).toMatchObject({ result: { paid: true }, questions: ['Pay o-1?'] });
    const asked = await at.call({ ...paying, exported: 'Asking', answers: ['yes'] });
    expect(asked).toMatchObject({ result: { paid: true }, questions: ['Pay o-1?'] });
    expect(await at.linesOf('ran.txt')).toEqual(['suspending', 'suspending', 'asking']);
    expect(asked.events).toContainEqual({ kind: 'step', payload: { node: 'ask' } });
    expect(suspended.card.skills[0]).toMatchObject({
      input_schema: { properties: { order: { type: 'string' } }, required: ['order'] },
      output_schema: { properties: { paid: { type: 'boolean' } } },
    });
    expect((await at.call({ ...paying, exported: 'Paying', args: { message: 'x' } })).error).toMatch(/^SkillInputError/);
  });
});

// Mastra in its lowest and its newest supported version, each installed alone, with a scripted model.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Provider, startProvider } from '../../../test/support/provider/provider.ts';
import { type AdapterProject, adapterProject, versionsToTest } from './test/project.ts';
import { call, expectLeaving, textsIn, toolsIn } from './test/steps.ts';

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

describe.each(versionsToTest(VERSIONS))('%s', (version, packages) => {
  let project: AdapterProject;
  let provider: Provider;
  beforeAll(async () => {
    const files = { 'more.ts': MORE, 'typed.ts': TYPED, ...(version !== 'mastra 1.0.4' && { 'refused.ts': REFUSED }) };
    [project, provider] = await Promise.all([adapterProject(packages, { example: 'mastra', files }), startProvider()]);
  }, 600_000);
  afterAll(async () => {
    await provider?.close();
    await project?.remove();
  });
  const linesOf = async (name: string): Promise<string[]> => (await readFile(join(project.folder, name), 'utf8').catch(() => '')).split('\n').slice(0, -1);

  test('its types fit, the example’s too', async () => {
    expect(await project.typeErrors()).toBe('');
  });

  test('the example: an approval is a question, and the tool then runs once', async () => {
    provider.asked.length = 0;
    provider.turns = [
      { calls: [call('lookUpOrder', { orderId: 'o-1' })] },
      { calls: [call('refundOrder', { orderId: 'o-1', amount: 120 })] },
      { says: ['I have ', 'paid it ', 'back.'] },
    ];
    const told = await project.call({ skill: 'run', args: { message: 'Refund o-1' }, answers: ['{"approved":true}'] }, provider);
    expect(told).toMatchObject({ questions: ['May the agent call refundOrder with {"orderId":"o-1","amount":120}?'] });
    expect(told.result).toBe('I have paid it back.');
    expect(await linesOf('refunds.jsonl')).toHaveLength(1);
    expect(provider.asked).toHaveLength(3);
    expect(textsIn(told)).toEqual(['I have ', 'paid it ', 'back.']);
    expect(toolsIn(told)).toEqual([
      ['lookUpOrder', 'started'],
      ['lookUpOrder', 'finished'],
      ['refundOrder', 'started'],
      ['refundOrder', 'finished'],
    ]);
  });

  test('what is declined does not run', async () => {
    const before = (await linesOf('refunds.jsonl')).length;
    provider.turns = [{ calls: [call('refundOrder', { orderId: 'o-2', amount: 5 })] }, { says: ['It was not approved.'] }];
    const told = await project.call({ skill: 'run', args: { message: 'Refund o-2' }, answers: ['{"approved":false}'] }, provider);
    expect(told.result).toBe('It was not approved.');
    expect(await linesOf('refunds.jsonl')).toHaveLength(before);
  });

  test('a tool asks by itself, in place', async () => {
    provider.asked.length = 0;
    provider.turns = [{ calls: [call('send', { to: 'ada' })] }, { says: ['Done.'] }];
    const told = await project.call({ file: './more.ts', exported: 'Sender', skill: 'run', args: { message: 'Send' }, answers: ['go'] }, provider);
    expect(told).toMatchObject({ result: 'Done.', questions: ['Send to ada?'] });
    expect(JSON.stringify(provider.asked.at(-1)?.body)).toContain('go');
  });

  test('a workflow has its own types; Mastra runs a suspended step twice, a step that asks runs once', async () => {
    const paying = { file: './more.ts', skill: 'pay', args: { order: 'o-1' } };
    const suspended = await project.call({ ...paying, exported: 'Paying', answers: ['{"paid":true}'] });
    expect(suspended).toMatchObject({ result: { paid: true }, questions: ['Pay o-1?'] });
    const asked = await project.call({ ...paying, exported: 'Asking', answers: ['yes'] });
    expect(asked).toMatchObject({ result: { paid: true }, questions: ['Pay o-1?'] });
    expect(await linesOf('ran.txt')).toEqual(['suspending', 'suspending', 'asking']);
    expect(asked.events).toContainEqual({ kind: 'step', payload: { node: 'ask' } });
    expect(suspended.card.skills[0]).toMatchObject({
      input_schema: { properties: { order: { type: 'string' } }, required: ['order'] },
      output_schema: { properties: { paid: { type: 'boolean' } } },
    });
    expect((await project.call({ ...paying, exported: 'Paying', args: { message: 'x' } })).error).toMatch(/^SkillInputError/);
  });

  test('a caller that goes away ends the request to the model', async () => {
    await expectLeaving(project, provider);
  });
});

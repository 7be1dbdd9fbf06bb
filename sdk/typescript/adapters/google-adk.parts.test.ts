// Google ADK 2.0.0, the only supported version so far, installed alone, with a scripted model. (1.x requires peers that no longer install together.)
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Provider, startProvider } from '../../../test/support/provider/provider.ts';
import { type AdapterProject, adapterProject, versionsToTest } from './test/project.ts';
import { call, expectLeaving, textsIn, toolsIn } from './test/steps.ts';

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

describe.each(versionsToTest(VERSIONS))('%s', (_version, packages) => {
  let project: AdapterProject;
  let provider: Provider;
  beforeAll(async () => {
    const files = { 'more.ts': MORE, 'typed.ts': TYPED };
    [project, provider] = await Promise.all([adapterProject(packages, { example: 'google-adk', files }), startProvider()]);
  }, 600_000);
  afterAll(async () => {
    await provider?.close();
    await project?.remove();
  });
  const refunds = async (): Promise<number> => (await readFile(join(project.folder, 'refunds.jsonl'), 'utf8').catch(() => '')).split('\n').length - 1;

  test('its types fit, the example’s too', async () => {
    expect(await project.typeErrors()).toBe('');
  });

  test('the example: a confirmation is a question, and the tool then runs once', async () => {
    const before = await refunds();
    provider.asked.length = 0;
    provider.turns = [
      { calls: [call('lookUpOrder', { orderId: 'o-1' })] },
      { calls: [call('refundOrder', { orderId: 'o-1', amount: 120 })] },
      { says: ['I have ', 'paid it ', 'back.'] },
    ];
    const ran = await project.call({ skill: 'run', args: { message: 'Refund o-1' }, answers: ['{"approved":true}'] }, provider);
    expect(ran).toMatchObject({ result: 'I have paid it back.', questions: ['May the agent call refundOrder with {"orderId":"o-1","amount":120}?'] });
    expect(await refunds()).toBe(before + 1);
    expect(provider.asked).toHaveLength(3);
    expect(textsIn(ran)).toEqual(['I have ', 'paid it ', 'back.']);
  });

  test('what is declined does not run', async () => {
    const before = await refunds();
    provider.turns = [{ calls: [call('refundOrder', { orderId: 'o-2', amount: 5 })] }, { says: ['It was not approved.'] }];
    const ran = await project.call({ skill: 'run', args: { message: 'Refund o-2' }, answers: ['{"approved":false}'] }, provider);
    expect(ran).toMatchObject({ result: 'It was not approved.' });
    expect(await refunds()).toBe(before);
  });

  test('a handoff is reported, with the tools of the next agent', async () => {
    provider.turns = [
      { calls: [call('transfer_to_agent', { agentName: 'orders', agent_name: 'orders' })] },
      { calls: [call('lookUpOrder', { orderId: 'o-1' })] },
      { says: ['It is on its way.'] },
      // ADK lets the first agent have the last word.
      { says: ['Done.'] },
    ];
    const ran = await project.call({ file: './more.ts', exported: 'Support', skill: 'run', args: { message: 'Where is o-1?' } }, provider);
    expect(ran).toMatchObject({ result: 'Done.' });
    expect(ran.events).toContainEqual({ kind: 'handoff', payload: { from: 'support', to: 'orders' } });
    expect(toolsIn(ran)).toEqual([
      ['lookUpOrder', 'started'],
      ['lookUpOrder', 'finished'],
    ]);
  });

  test('a tool asks by itself, in place', async () => {
    provider.asked.length = 0;
    provider.turns = [{ calls: [call('send', { to: 'ada' })] }, { says: ['Done.'] }];
    const ran = await project.call({ file: './more.ts', exported: 'Sender', skill: 'run', args: { message: 'Send' }, answers: ['go'] }, provider);
    expect(ran).toMatchObject({ result: 'Done.', questions: ['Send to ada?'] });
    expect(JSON.stringify(provider.asked.at(-1)?.body)).toContain('go');
  });

  test('the output is the agent’s own type', async () => {
    provider.turns = [{ says: ['{"verdict":"yes",', '"why":"seen"}'] }];
    const { result, card } = await project.call({ file: './more.ts', exported: 'Judge', skill: 'judge', args: { claim: 'It rains' } }, provider);
    expect(result).toEqual({ verdict: 'yes', why: 'seen' });
    expect(card.skills[0]).toMatchObject({ output_schema: { properties: { verdict: { enum: ['yes', 'no'] } } } });
  });

  test('a caller that goes away ends the request to the model', async () => {
    await expectLeaving(project, provider);
  });
});

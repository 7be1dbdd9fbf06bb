// The AI SDK in its lowest and its newest supported version, each installed alone, with a scripted model.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Provider, startProvider } from '../../../test/support/provider/provider.ts';
import { type AdapterProject, adapterProject, versionsToTest } from './test/project.ts';
import { call, expectLeaving, textsIn, toolsIn } from './test/steps.ts';

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

describe.each(versionsToTest(VERSIONS))('%s', (_version, packages) => {
  let project: AdapterProject;
  let provider: Provider;
  beforeAll(async () => {
    [project, provider] = await Promise.all([adapterProject(packages, { example: 'ai-sdk', files: { 'more.ts': MORE, 'typed.ts': TYPED } }), startProvider()]);
  }, 600_000);
  afterAll(async () => {
    await provider?.close();
    await project?.remove();
  });
  const refunds = async (): Promise<number> => (await readFile(join(project.folder, 'refunds.jsonl'), 'utf8').catch(() => '')).split('\n').length - 1;

  test('its types fit, the example’s too', async () => {
    expect(await project.typeErrors()).toBe('');
  });

  test('an approval is a question, and the tool then runs once', async () => {
    provider.asked.length = 0;
    provider.turns = [
      { calls: [call('lookUpOrder', { orderId: 'o-1' })] },
      { calls: [call('refundOrder', { orderId: 'o-1', amount: 120 })] },
      { says: ['I have ', 'paid it ', 'back.'] },
    ];
    const ran = await project.call({ skill: 'run', args: { message: 'Refund o-1' }, answers: ['{"approved":true,"reason":"a regular"}'] }, provider);
    expect(ran).toMatchObject({ result: 'I have paid it back.', questions: ['May the agent call refundOrder with {"orderId":"o-1","amount":120}?'] });
    expect(await refunds()).toBe(1);
    // Nothing was run again: one request for each turn.
    expect(provider.asked).toHaveLength(3);
    expect(textsIn(ran)).toEqual(['I have ', 'paid it ', 'back.']);
    expect(toolsIn(ran)).toEqual([
      ['lookUpOrder', 'started'],
      ['lookUpOrder', 'finished'],
      ['refundOrder', 'started'],
      ['refundOrder', 'finished'],
    ]);
  });

  test('what is declined does not run, and the model hears of it', async () => {
    const before = await refunds();
    provider.asked.length = 0;
    provider.turns = [{ calls: [call('refundOrder', { orderId: 'o-2', amount: 5 })] }, { says: ['It was not approved.'] }];
    const ran = await project.call({ skill: 'run', args: { message: 'Refund o-2' }, answers: ['{"approved":false,"reason":"too late"}'] }, provider);
    expect(ran.result).toBe('It was not approved.');
    expect(await refunds()).toBe(before);
    expect(JSON.stringify(provider.asked.at(-1)?.body)).toContain('too late');
  });

  test('a tool asks by itself, in place', async () => {
    provider.asked.length = 0;
    provider.turns = [{ calls: [call('send', { to: 'ada' })] }, { says: ['Done.'] }];
    const ran = await project.call({ file: './more.ts', exported: 'Sender', skill: 'run', args: { message: 'Send' }, answers: ['go'] }, provider);
    expect(ran).toMatchObject({ result: 'Done.', questions: ['Send to ada?'], card: { runtime: { concurrency: 3 } } });
    expect(JSON.stringify(provider.asked.at(-1)?.body)).toContain('go');
  });

  test('input and output are typed, on the card and at the call', async () => {
    provider.turns = [{ says: ['{"verdict":"yes",', '"why":"seen"}'] }];
    const judge = { file: './more.ts', exported: 'Judge', skill: 'judge' };
    const { result, card } = await project.call({ ...judge, args: { claim: 'It rains' } }, provider);
    expect(result).toEqual({ verdict: 'yes', why: 'seen' });
    expect(card.skills[0]).toMatchObject({
      input_schema: { properties: { claim: { type: 'string' } }, required: ['claim'] },
      output_schema: { properties: { verdict: { enum: ['yes', 'no'] } } },
    });
    expect((await project.call({ ...judge, args: { message: 'x' } }, provider)).error).toMatch(/^SkillInputError/);
  });

  test('a caller that goes away ends the request to the model', async () => {
    await expectLeaving(project, provider);
  });

  test('an error of the model fails the run', async () => {
    provider.next = [{ status: 400, body: '{"error":{"message":"no such model","type":"invalid_request_error"}}' }];
    expect((await project.call({ skill: 'run', args: { message: 'x' } }, provider)).error).toMatch(/no such model/);
  });
});

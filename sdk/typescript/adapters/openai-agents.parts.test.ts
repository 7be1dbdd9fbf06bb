// OpenAI Agents in its lowest and its newest supported version, each installed alone, with a scripted model.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Provider, startProvider } from '../../../test/support/provider/provider.ts';
import { type AdapterProject, adapterProject, versionsToTest } from './test/project.ts';
import { call, expectLeaving, textsIn, toolsIn } from './test/steps.ts';

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

describe.each(versionsToTest(VERSIONS))('%s', (_version, packages) => {
  let project: AdapterProject;
  let provider: Provider;
  beforeAll(async () => {
    const files = { 'more.ts': MORE, 'typed.ts': TYPED };
    [project, provider] = await Promise.all([adapterProject(packages, { example: 'openai-agents', files }), startProvider()]);
  }, 600_000);
  afterAll(async () => {
    await provider?.close();
    await project?.remove();
  });
  const refunds = async (): Promise<number> => (await readFile(join(project.folder, 'refunds.jsonl'), 'utf8').catch(() => '')).split('\n').length - 1;

  test('its types fit, the example’s too', async () => {
    expect(await project.typeErrors()).toBe('');
  });

  test('the example: a handoff is reported, an approval is a question, and the tool then runs once', async () => {
    provider.asked.length = 0;
    provider.turns = [
      { calls: [call('transfer_to_Refunds', {})] },
      { calls: [call('lookUpOrder', { orderId: 'o-1' })] },
      { calls: [call('refundOrder', { orderId: 'o-1', amount: 120 })] },
      { says: ['I have ', 'paid it ', 'back.'] },
    ];
    const ran = await project.call({ skill: 'run', args: { message: 'Refund o-1' }, answers: ['{"approved":true}'] }, provider);
    expect(ran).toMatchObject({ result: 'I have paid it back.', questions: ['May the agent call refundOrder with {"orderId":"o-1","amount":120}?'] });
    expect(await refunds()).toBe(1);
    // Nothing was run again: one request for each turn.
    expect(provider.asked).toHaveLength(4);
    expect(textsIn(ran)).toEqual(['I have ', 'paid it ', 'back.']);
    expect(ran.events).toContainEqual({ kind: 'handoff', payload: { from: 'Support', to: 'Refunds' } });
    expect(toolsIn(ran)).toEqual([
      ['lookUpOrder', 'started'],
      ['lookUpOrder', 'finished'],
      ['refundOrder', 'started'],
      ['refundOrder', 'finished'],
    ]);
  });

  test('what is declined does not run', async () => {
    const before = await refunds();
    provider.turns = [
      { calls: [call('transfer_to_Refunds', {})] },
      { calls: [call('refundOrder', { orderId: 'o-2', amount: 5 })] },
      { says: ['It was not approved.'] },
    ];
    const ran = await project.call({ skill: 'run', args: { message: 'Refund o-2' }, answers: ['{"approved":false,"reason":"too late"}'] }, provider);
    expect(ran.result).toBe('It was not approved.');
    expect(await refunds()).toBe(before);
    expect(JSON.stringify(provider.asked.at(-1)?.body)).toMatch(/too late|not approved/);
  });

  test('a tool asks by itself, in place', async () => {
    provider.asked.length = 0;
    provider.turns = [{ calls: [call('send', { to: 'ada' })] }, { says: ['Done.'] }];
    const ran = await project.call({ file: './more.ts', exported: 'Sender', skill: 'run', args: { message: 'Send' }, answers: ['go'] }, provider);
    expect(ran).toMatchObject({ result: 'Done.', questions: ['Send to ada?'] });
    expect(JSON.stringify(provider.asked.at(-1)?.body)).toContain('go');
  });

  test('the output is the agent’s own type, on the card and at the call', async () => {
    provider.turns = [{ says: ['{"verdict":"yes",', '"why":"seen"}'] }];
    const { result, card } = await project.call({ file: './more.ts', exported: 'Judge', skill: 'judge', args: { claim: 'It rains' } }, provider);
    expect(result).toEqual({ verdict: 'yes', why: 'seen' });
    expect(card.skills[0]).toMatchObject({
      input_schema: { properties: { claim: { type: 'string' } }, required: ['claim'] },
      output_schema: { properties: { verdict: { enum: ['yes', 'no'] } } },
    });
    expect((await project.card()).skills[0]?.output_schema).toEqual({ type: 'string' });
  });

  test('a caller that goes away ends the request to the model', async () => {
    await expectLeaving(project, provider);
  });

  test('an error of the model fails the run', async () => {
    provider.next = [{ status: 400, body: '{"error":{"message":"no such model","type":"invalid_request_error"}}' }];
    expect((await project.call({ skill: 'run', args: { message: 'x' } }, provider)).error).toMatch(/no such model/);
  });
});

// Mallory's agent has schemas that take for ever, and she rehearses it again and again. Each rehearsal has an
// account of its own, which is thrown away: the time that her schemas may take does not begin anew with it.
// That nobody pays for a rehearsal: core/studio/protocol-simulation/rehearsal.parts.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ProtocolScenario } from '#contract/studio/protocol-steps.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { newId } from '#core/kernel/ids.ts';
import { schemaWorkCounts } from '#core/kernel/schema-work/ask.ts';
import { playScenario } from '#core/studio/protocol-simulation/play-scenario.ts';
import { testContext, type TestContext } from '../support/context.ts';

let t: TestContext;
beforeAll(async () => void (t = await testContext()));
afterAll(() => t.close());

const slow = { type: 'string', pattern: '^(?:a+)+$', default: `${'a'.repeat(60)}!` };
const scenario = ProtocolScenario.parse({
  scenario: 'slow',
  title: 'Slow',
  summary: 'Its schemas take for ever.',
  rules: { wrong: 'Wrong arguments are refused' },
  steps: [{ do: 'call', args: 'invalid', expect: 'refused', rule: 'wrong' }],
});

async function rehearse(ownerId: string): Promise<void> {
  const name = `rehearsal-${newId('agt').slice(-8)}`;
  const skills = [
    { id: 'work', name: 'work', description: '', input_schema: { type: 'object', properties: { a: slow, b: slow, c: slow } }, output_schema: {} },
  ];
  const card = AgentCard.parse({ name, description: '', version: '1.0.0', skills });
  const agent = { agentId: newId('agt'), name, deployId: newId('dep') };
  const stage = { jobId: newId('job'), ownerId, userId: newId('usr'), agent, card, instanceId: newId('ins') };
  const played = await playScenario(t.ctx, { stage, scenario, seed: 1, label: '1-1', signal: AbortSignal.timeout(60_000) });
  expect(played.state).toBe('skipped');
}

test('rehearsals of one owner end four threads, however many there are', async () => {
  const before = { ...schemaWorkCounts };
  for (const mallory = newId('usr'); schemaWorkCounts.refused - before.refused < 10;) await rehearse(mallory);
  expect(schemaWorkCounts.ended - before.ended).toBe(4);
  // Another owner has a budget of their own.
  await rehearse(newId('usr'));
  expect(schemaWorkCounts.ended - before.ended).toBe(8);
});

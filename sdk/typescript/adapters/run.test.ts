import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Agent } from '../authoring/agent.ts';
import { skill } from '../authoring/skill.ts';
import { testAgent } from '../testing.ts';
import { ask, currentRun, during } from './run.ts';

const OUTSIDE = "no run is at work here: call this in what the agent's skill runs";

/** As a framework's callback: it gets no run context. */
async function later(): Promise<string> {
  await setImmediate();
  return `${currentRun().runId} ${await ask('Red or blue?')}`;
}

class Painter extends Agent {
  name = 'painter';
  description = 'For tests.';
  version = '1.0.0';
  paint = skill({}, async (ctx) => [ctx.runId, await during(ctx, later)].join(' '));
}

test('code that a framework calls has the run of the skill, and each run its own', async () => {
  const agent = testAgent(Painter, { onQuestion: () => 'blue' });
  for (const { result } of await Promise.all([agent.invoke('paint', {}), agent.invoke('paint', {})])) {
    const [own, seen, answer] = String(result).split(' ');
    expect([seen, answer]).toEqual([own, 'blue']);
  }
  await agent.shutdown();
});

test('outside of a run it says so', () => {
  expect(currentRun).toThrow(OUTSIDE);
  expect(() => ask('Red or blue?')).toThrow(OUTSIDE);
});

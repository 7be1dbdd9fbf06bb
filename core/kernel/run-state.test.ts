// The table of transitions is the only way from one state of a run to the next.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { END_STATES, RUN_ROW_STATES, type RunRowState } from '#contract/states.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { newId } from './ids.ts';
import { isOpenRun, moveRun, RUN_TRANSITIONS } from './run-state.ts';

let t: TestContext;
let agent: LiveAgent;
beforeAll(async () => {
  t = await testContext();
  agent = await liveAgent(t.ctx, (await t.user('ada')).actor.user_id);
});
afterAll(() => t.close());

async function runIn(state: RunRowState): Promise<string> {
  const run_id = newId('run');
  await t.ctx.db('runs').insert({
    run_id,
    agent_id: agent.id,
    agent_name: agent.name,
    deploy_id: agent.deployId,
    skill: 'work',
    caller_kind: 'user',
    kind: 'started',
    state,
    started_at: new Date(),
    ended_at: isOpenRun({ state }) ? null : new Date(),
  });
  return run_id;
}

it('a run moves only where the table says, and the database agrees', async () => {
  for (const from of RUN_ROW_STATES) {
    for (const to of ['queued', 'running', 'waiting'] as const) {
      const run_id = await runIn(from);
      const allowed = RUN_TRANSITIONS[from].includes(to);
      expect([from, to, await moveRun(t.ctx.db, run_id, to)]).toEqual([from, to, allowed]);
      expect((await t.ctx.db('runs').where({ run_id }).first('state'))?.state).toBe(allowed ? to : from);
    }
  }
});

it('ends are final', () => {
  for (const state of END_STATES) expect(RUN_TRANSITIONS[state]).toEqual([]);
});

it("a run's state is written in two files: moves in kernel/run-state.ts, ends in runs/run/end.ts", async () => {
  const core = join(import.meta.dirname, '..');
  const writers: string[] = [];
  for (const file of await readdir(core, { recursive: true })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const text = await readFile(join(core, file), 'utf8');
    // A builder on the table, up to the end of its statement, that updates the state; or SQL that does.
    const builder = /\('runs(?: as \w+)?'\)[^;]*\.update\(\{[^;]*\bstate\b/.test(text);
    if (builder || /update runs\b[^`;]*\bset\b[^`;]*\bstate =/.test(text)) writers.push(file);
  }
  expect(writers.toSorted()).toEqual(['kernel/run-state.ts', 'runs/run/end.ts']);
});

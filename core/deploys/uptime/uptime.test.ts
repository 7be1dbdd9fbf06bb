import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { liveAgent } from '#test/support/runs.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { noteLooks } from './note.ts';
import { agentUptime } from './read.ts';
import { sweepUptime } from './sweep.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let anybody: Ctx;
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  anybody = { ...t.ctx, actor: { kind: 'anonymous' } };
});
afterAll(() => t.close());

const HOUR = 3_600_000;
const start = Math.floor(Date.now() / HOUR) * HOUR - 5 * HOUR;
const at = (ms: number): Date => new Date(start + ms);
const agentOf = async (visibility: 'public' | 'unlisted' = 'public') => {
  const { id, name } = await liveAgent(t.ctx, ada.actor.user_id, { visibility });
  return { id, name, look: (ms: number, reason: string | null = null, every = 0) => noteLooks(t.ctx.db, [{ agent_id: id, reason }], at(ms), every) };
};

test('looks are counted by the hour, and each change is kept with its time', async () => {
  const { look, name } = await agentOf();
  for (const ms of [0, 1000, 2000]) await look(ms);
  await look(3000, 'the index is being rebuilt');
  await look(4000, 'still');
  await look(HOUR);
  const { hours, changes } = await agentUptime(ada, { name });
  expect(hours).toEqual([
    { hour: at(0).toISOString(), looks: 5, well: 3 },
    { hour: at(HOUR).toISOString(), looks: 1, well: 1 },
  ]);
  expect(changes).toEqual([
    { at: at(HOUR).toISOString(), is_well: true, reason: null },
    { at: at(3000).toISOString(), is_well: false, reason: 'the index is being rebuilt' },
    { at: at(0).toISOString(), is_well: true, reason: null },
  ]);
});

test('what is looked at often is counted once a minute; its changes are kept all the same', async () => {
  const { look, name } = await agentOf();
  for (let ms = 0; ms <= 120_000; ms += 5_000) await look(ms, ms === 30_000 ? 'briefly' : null, 55);
  const { hours, changes } = await agentUptime(ada, { name });
  expect(hours).toEqual([{ hour: at(0).toISOString(), looks: 3, well: 3 }]);
  expect(changes).toHaveLength(3);
});

test('an agent that changes all the time fills no table', async () => {
  const { id, look, name } = await agentOf();
  for (let n = 0; n < 200; n += 1) await look(n * 1000, n % 2 === 0 ? null : 'no');
  expect(await t.ctx.db('agent_health_changes').where({ agent_id: id })).toHaveLength(60);
  expect((await agentUptime(ada, { name })).hours[0]).toMatchObject({ looks: 200, well: 100 });
});

test('of a listed agent everyone may know, of another its owner alone', async () => {
  const [seen, hidden] = [await agentOf(), await agentOf('unlisted')];
  for (const { look } of [seen, hidden]) await look(0);
  expect((await agentUptime(anybody, { name: seen.name })).hours).toHaveLength(1);
  expect((await agentUptime(ada, { name: hidden.name })).hours).toHaveLength(1);
  for (const who of [anybody, ben]) await expect(agentUptime(who, { name: hidden.name })).rejects.toMatchObject({ code: 'agent_not_found' });
});

test('after 30 days it goes, but not what says how the agent is', async () => {
  const { id, look } = await agentOf();
  await look(0);
  await look(1000, 'no');
  await sweepUptime({ ...t.ctx, clock: () => start + 31 * 24 * HOUR });
  expect(await t.ctx.db('agent_health_hours').where({ agent_id: id })).toEqual([]);
  expect(await t.ctx.db('agent_health_changes').where({ agent_id: id })).toMatchObject([{ is_well: false, reason: 'no' }]);
});

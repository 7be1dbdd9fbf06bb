// The card of each deployment, for the owner of its agent.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { newId } from '#core/kernel/ids.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ serving: true });
});
afterAll(() => world.close());

const ask = (who: 'ada' | 'ben', name: string, deploy_id: string) =>
  createClient({ baseUrl: world.url, token: world.tokens[who] }).agents.deploymentCard({ params: { name, deploy_id } });

test('an earlier deployment keeps what its agent said of itself then', async () => {
  const { name = '', deploy_id = '' } = world.records;
  const { db } = world.ctx;
  const now = await ask('ada', name, deploy_id);
  expect(now.card?.skills.map(({ id }) => id)).toContain('greet');
  // Another one serves, and says something else.
  await db('agents')
    .where({ name })
    .update({ card: JSON.stringify({ ...now.card, skills: [] }) });
  expect(await ask('ada', name, deploy_id)).toEqual(now);
  await db('deployments').where({ deploy_id }).update({ card: null });
  expect(await ask('ada', name, deploy_id)).toEqual({ ...now, card: null });
});

test('there is none for others, and none of other agents', async () => {
  const { name = '', deploy_id = '' } = world.records;
  await expect(ask('ben', name, deploy_id)).rejects.toMatchObject({ status: 404 });
  await expect(ask('ada', name, newId('dep'))).rejects.toMatchObject({ status: 404 });
});

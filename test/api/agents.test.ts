// Sentences of the specification about agents, proven over HTTP through the typed client.
import { afterAll, beforeAll, expect } from 'vitest';
import { verifies } from './verifies.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const refused = (status: number) => expect.objectContaining({ status });

verifies('agents.mine', "lists the agents owned by the caller, and nobody else's", async () => {
  const { name } = await world.as('ben').agents.register({ body: { name: 'bens-own' } });
  expect((await world.as('ben').agents.mine()).map((agent) => agent.name)).toEqual([name]);
  expect((await world.as('ada').agents.mine()).map((agent) => agent.name)).toEqual([world.records.name]);
});

verifies('agents.mineOne', '`mine` is never the name of an agent', async () => {
  await expect(world.as('ada').agents.get({ params: { name: 'mine' } })).resolves.toBeInstanceOf(Array);
});

verifies('agents.search', 'takes `tag` more than once, `q` to 500 characters, `limit` from 1 to 25', async () => {
  const { agents } = world.as('ada');
  expect(await agents.search({ query: { tag: ['x', 'y'], q: 'q'.repeat(500), limit: 25 } })).toEqual([]);
  await expect(agents.search({ query: { q: 'q'.repeat(501) } })).rejects.toEqual(refused(422));
  await expect(agents.search({ query: { limit: 26 } })).rejects.toEqual(refused(422));
});

verifies('agents.setVisibility', 'publishes without rebuilding, and only what its owner may', async () => {
  const params = { name: world.records.name ?? '' };
  await expect(world.as('ben').agents.setVisibility({ params, body: { visibility: 'public' } })).rejects.toEqual(refused(404));
  expect(await world.as('ada').agents.setVisibility({ params, body: { visibility: 'public' } })).toMatchObject({
    visibility: 'public',
    deploy_count: expect.any(Number),
  });
  expect((await world.as('ben').agents.get({ params })).mine).toBe(false);
});

verifies('agents.register', 'a name is unique on the platform', async () => {
  await expect(world.as('ben').agents.register({ body: { name: world.records.name ?? '' } })).rejects.toEqual(refused(409));
});

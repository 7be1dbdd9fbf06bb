// Every list takes the cursor that the document gives as its example.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { callRoute } from './call.ts';
import { callerFor, createWorld, ROUTES, type World } from './world.ts';

let world: World;
beforeAll(async () => void (world = await createWorld()));
afterAll(() => world.close());

const paged = ROUTES.flatMap((route) => {
  const cursor = route.spec.query?._zod.def.shape['cursor'];
  return cursor ? [{ id: route.id, route, examples: z.globalRegistry.get(cursor)?.['examples'] }] : [];
});

test('there are such lists', () => expect(paged.length).toBeGreaterThan(40));

test.each(paged)('$id', async ({ route, examples }) => {
  expect(examples).toEqual([expect.any(String)]);
  const { query = {} } = world.calls[route.id] ?? {};
  const answer = await callRoute(world, route, callerFor(route.spec.scope), { query: { ...query, cursor: String(Object(examples)[0]) } });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
});

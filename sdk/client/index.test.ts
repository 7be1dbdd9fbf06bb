// What a program has that imports the package. package.parts.test.ts installs it as a stranger does.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from '../../test/api/world.ts';
import * as client from './index.ts';

let world: World;
beforeAll(async () => void (world = await createWorld()));
afterAll(() => world.close());

test('it calls the API, builds paths, and knows a refusal by its class', async () => {
  const api = client.createClient({ baseUrl: world.url, token: world.tokens.ada });
  expect(await api.agents.register({ body: { name: 'by-index' } })).toMatchObject({ name: 'by-index' });
  const refusal: unknown = await api.agents.get({ params: { name: 'no-such-agent' } }).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(client.ApiError);
  expect(refusal).toMatchObject({ status: 404, code: 'agent_not_found' });
  expect(client.pathTo('GET /v1/agents/{name}', { name: 'a b' })).toBe('/v1/agents/a%20b');
});

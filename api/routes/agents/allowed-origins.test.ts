// The origins whose pages may call an agent: set by its owner, else as svc.yaml says, else by default.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import { createWorld, type World } from '#test/api/world.ts';
import { liveAgent } from '#test/support/runs.ts';

let world: World;
let name = '';
beforeAll(async () => {
  world = await createWorld();
  const { user_id } = await world.as('ada').auth.me({});
  ({ name } = await liveAgent(world.ctx, user_id, { visibility: 'public' }));
});
afterAll(() => world.close());

const as = (who: 'ada' | 'ben') => createClient({ baseUrl: world.url, token: world.tokens[who] }).allowedOrigins;
const set = (allowed_origins: string[] | null, who: 'ada' | 'ben' = 'ada') => as(who).set({ params: { name }, body: { allowed_origins } });
const routed = async () => (await resolveRoute(world.ctx, name))?.allowedOrigins;
const PAGE = 'https://app.example.com';

test('the owner’s list goes before svc.yaml, which goes before the default, and each change is audited', async () => {
  expect(await as('ada').get({ params: { name } })).toEqual({ allowed_origins: null, declared: null, effective: 'any' });
  expect(await routed()).toBeUndefined();
  await world.ctx.db.raw(`update deployments set manifest = manifest || '{"expose":{"allowed_origins":["https://yaml.example.com"]}}'`);
  expect(await as('ada').get({ params: { name } })).toEqual({ allowed_origins: null, declared: ['https://yaml.example.com'], effective: 'listed' });
  expect(await routed()).toEqual(['https://yaml.example.com']);
  expect(await set([PAGE, PAGE, 'http://localhost:3000'])).toMatchObject({ allowed_origins: [PAGE, 'http://localhost:3000'], effective: 'listed' });
  expect(await routed()).toEqual([PAGE, 'http://localhost:3000']);
  expect(await set([])).toMatchObject({ allowed_origins: [], effective: 'listed' });
  expect(await routed()).toEqual([]);
  expect(await set(null)).toMatchObject({ allowed_origins: null, declared: ['https://yaml.example.com'] });
  expect(await world.ctx.db('audit_log').where({ action: 'allowed_origins.set' })).toHaveLength(3);
});

test('what is no origin is refused, and others find no such agent', async () => {
  for (const one of ['null', '*', `${PAGE}/`, 'app.example.com']) await expect(set([one])).rejects.toMatchObject({ status: 422 });
  await expect(set([PAGE], 'ben')).rejects.toMatchObject({ status: 404, code: 'agent_not_found' });
  await expect(as('ben').get({ params: { name } })).rejects.toMatchObject({ status: 404, code: 'agent_not_found' });
});

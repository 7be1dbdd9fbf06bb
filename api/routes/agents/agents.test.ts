// Sentences of the specification about agents, proven over HTTP through the typed client.
import { afterAll, beforeAll, expect } from 'vitest';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const refused = (status: number) => expect.objectContaining({ status });

/** Names of Ada's, as the rows say. */
async function recorded(): Promise<string[]> {
  const { db } = world.ctx;
  const owner = db('agents')
    .where({ name: world.records.name ?? '' })
    .select('owner_id');
  return db('agents').whereIn('owner_id', owner).whereNull('deleted_at').pluck('name');
}

verifies('agents.mine', 'lists only the agents owned by the caller', async () => {
  const { name } = await world.as('ben').agents.register({ body: { name: 'bens-own' } });
  expect((await world.as('ben').agents.mine()).map((agent) => agent.name)).toEqual([name]);
  expect((await world.as('ada').agents.mine()).map((agent) => agent.name)).toEqual((await recorded()).toSorted());
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

verifies('agents.redeploy', 'an agent that was never deployed has no source; other users get 404', async () => {
  await world.as('ada').agents.register({ body: { name: 'sourceless' } });
  await expect(world.as('ada').agents.redeploy({ params: { name: 'sourceless' } })).rejects.toMatchObject({ status: 409, code: 'never_deployed' });
  await expect(world.as('ben').agents.redeploy({ params: { name: 'sourceless' } })).rejects.toEqual(refused(404));
  await world.as('ada').agents.delete({ params: { name: 'sourceless' } });
});

verifies('agents.register', 'a name is unique on the platform', async () => {
  await expect(world.as('ben').agents.register({ body: { name: world.records.name ?? '' } })).rejects.toEqual(refused(409));
});

verifies('agents.list', 'the caller sees their own and the public ones, by name; the Link header leads through pages of the size asked for', async () => {
  const { agents } = world.as('ada');
  for (const name of ['page-b', 'page-a', 'page-c']) await agents.register({ body: { name } });
  await world.as('ben').agents.register({ body: { name: 'page-bens' } });
  const seen: string[] = [];
  for (let path: string | undefined = '/v1/agents?limit=2'; path !== undefined;) {
    const response: Response = await fetch(world.url + path, { headers: { authorization: `Bearer ${world.tokens.ada}` } });
    const page: string[] = ((await response.json()) as { name: string }[]).map((agent) => agent.name);
    expect(page.length).toBeLessThanOrEqual(2);
    seen.push(...page);
    path = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  expect(seen).toEqual([...new Set([...(await recorded()), 'page-a', 'page-b', 'page-c'])].toSorted());
});

verifies('agents.deploymentStream', 'resumes after Last-Event-ID; one that is not ours begins anew', async () => {
  const { name = '', deploy_id = '' } = world.records;
  const { job_id } = (await world.ctx.db('deployments').where({ deploy_id }).first('job_id')) ?? { job_id: '' };
  // Its job has ended: nothing is said to it any more, so what it said while it went on is put there.
  await world.ctx.db('job_events').insert(['building', 'live'].map((stage, n) => ({ job_id, seq: n + 1, kind: 'stage', payload: JSON.stringify({ stage }) })));
  await world.ctx.db('jobs').where({ job_id }).update({ last_seq: 2 });
  const stream = async (id: string): Promise<string> => {
    const response = await world.as('ada').agents.deploymentStream({ params: { name, deploy_id } }, { headers: { 'last-event-id': id } });
    return response.text();
  };
  expect(await stream('1')).toMatch(/^retry: \d+\nid: 2\n/);
  expect(await stream('not-a-number')).toMatch(/^retry: \d+\nid: 1\n/);
});

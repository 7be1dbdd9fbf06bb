// Proofs over HTTP: begun by an account, shown to everybody where they are published, and as a picture.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addProof } from '#test/support/proofs.ts';
import { liveAgent } from '#test/support/runs.ts';
import { cites } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let name: string;
let published: string;
let hidden: string;
beforeAll(async () => {
  world = await createWorld({ serving: true });
  const hers = await world.ctx
    .db('agents')
    .where({ name: world.records['name'] ?? '' })
    .first('owner_id');
  const userId = hers?.owner_id ?? '';
  const agent = await liveAgent(world.ctx, userId, { visibility: 'public' });
  name = agent.name;
  published = (await addProof(world.ctx, { agent, deployId: agent.deployId, userId })).proof_id;
  hidden = (await addProof(world.ctx, { agent, deployId: agent.deployId, userId, more: { published: false } })).proof_id;
});
afterAll(() => world.close());

const status = (code: number) => expect.objectContaining({ status: code });
const latest = (query: string, headers: Record<string, string> = {}) => fetch(`${world.url}/v1/public/agents/${name}/proof/latest${query}`, { headers });

test('an account runs a proof and lists what it ran', cites('agentProofs.run', 'agentProofs.list'), async () => {
  const agent = world.records['name'] ?? '';
  const run = (key?: string, publish?: boolean, who: 'ada' | 'ben' = 'ada') =>
    world.as(who).agentProofs.run({
      params: { name: agent },
      headers: key === undefined ? {} : { 'idempotency-key': key },
      body: { skill_name: 'greet', args: { name: 'Bo' }, ...(publish !== undefined && { publish }) },
    });
  const proof = await run('one');
  expect(proof).toMatchObject({ status: 'running', agent, case: 'given', published: false, run_by: 'owner' });
  expect((await run('one')).proof_id).toBe(proof.proof_id);
  await expect(run(undefined, undefined, 'ben')).rejects.toEqual(status(404));
  const bad = world.as('ada').agentProofs.run({ params: { name: agent }, body: { skill_name: 'greet', args: { name: 1 } } });
  await expect(bad).rejects.toMatchObject({ status: 422, detail: { issues: [{ path: ['body', 'args', 'name'] }] } });
  const pattern = { kind: 'matches', pattern: '(' } as const;
  await expect(world.as('ada').agentProofs.run({ params: { name: agent }, body: { skill_name: 'greet', properties: [pattern] } })).rejects.toMatchObject({ status: 400, code: 'proof_property_invalid' }); // prettier-ignore
  const files = world.as('ada').agentProofs.run({ params: { name: agent }, body: { skill_name: 'greet', files: ['**'] } });
  await expect(files).rejects.toMatchObject({ status: 409, code: 'proof_no_files' });
  expect((await world.as('ada').agentProofs.list({ query: { agent, status: 'running' } })).items.map(({ proof_id }) => proof_id)).toEqual([proof.proof_id]);
  expect((await world.as('ben').agentProofs.list({})).items).toEqual([]);
  // At once: each counts those before it.
  const many = await Promise.allSettled(Array.from({ length: 8 }, () => run()));
  expect(many.filter((one) => one.status === 'fulfilled')).toHaveLength(4);
  expect(many.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))).toEqual(Array.from({ length: 4 }, () => expect.objectContaining({ code: 'too_many_proofs' }))); // prettier-ignore
});

test('what is published is public, and nothing else', cites('public.proofs', 'public.proof', 'public.latestProof'), async () => {
  const feed = await world.as().public.proofs({ query: { agent: name } });
  expect(feed.items.map(({ proof_id }) => proof_id)).toEqual([published]);
  expect(JSON.stringify(feed)).not.toContain('Hello World');
  expect(await world.as().public.proof({ params: { name, proof_id: published } })).toMatchObject({
    args: { text: 'Hello World' },
    receipt: expect.any(String),
  });
  await expect(world.as().public.proof({ params: { name, proof_id: hidden } })).rejects.toEqual(status(404));
  await expect(world.as().public.proof({ params: { name: world.records['name'] ?? '', proof_id: published } })).rejects.toEqual(status(404));
  expect(await world.as().public.latestProof({ params: { name } })).toMatchObject({
    standing: 'proven',
    all: { passed: 1, failed: 0 },
    latest: { proof_id: published },
  });
});

test('the badge is JSON for badge services, and a picture that can do nothing', async () => {
  const badge = await latest('?format=badge');
  expect(await badge.json()).toEqual({ schemaVersion: 1, label: 'proofs', message: '1 of 1 passed', color: 'brightgreen', cacheSeconds: 300 });
  expect(badge.headers.get('cache-control')).toBe('public, max-age=300');
  for (const picture of [await latest('?format=svg'), await latest('', { accept: 'image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8' })]) {
    expect(picture.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
    expect(picture.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await picture.text()).toContain('1 of 1 passed');
  }
  for (const accept of ['application/json', '*/*', 'text/html,application/xhtml+xml,image/svg+xml']) expect((await latest('', { accept })).headers.get('content-type')).toContain('application/json'); // prettier-ignore
  expect((await fetch(`${world.url}/v1/public/agents/nobody/proof/latest?format=svg`)).status).toBe(404);
});

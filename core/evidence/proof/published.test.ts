// What is public of proofs, and the badge.
import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Ctx } from '#core/kernel/ctx.ts';
import { createPool } from '#db/pool.ts';
import { addProof } from '#test/support/proofs.ts';
import { testDatabase } from '#test/support/servers.ts';
import { addAgent, addUser, testCtx, type TestAgent, userActor } from '#test/support/verbs.ts';
import { badgeOf, svgOf } from './badge.ts';
import { getPublishedProof, listPublishedProofs, proofStanding } from './published.ts';
import { getProof, listProofs } from './read.ts';
import { PROOF_DAY_MS } from './stale.ts';
import { withdrawProof } from './withdraw.ts';

let db: Knex;
let ctx: Ctx;
let ada: string;
beforeAll(async () => {
  db = createPool({ connectionString: (await testDatabase()).url });
  ctx = testCtx(db, { actor: { kind: 'anonymous' } });
  ada = await addUser(db, 'ada');
});
afterAll(() => db.destroy());

async function provedAgent(visibility: 'public' | 'unlisted' = 'public'): Promise<{ agent: TestAgent; deployId: string; userId: string }> {
  const agent = await addAgent(db, ada, { visibility, live: true });
  const row = await db('agents').where({ agent_id: agent.id }).first('live_deploy_id');
  return { agent, deployId: row?.live_deploy_id ?? '', userId: ada };
}
const later = (ms: number): Ctx => ({ ...ctx, clock: () => Date.now() + ms });

describe('the standing of an agent', () => {
  test('is what its newest proofs of what runs now say', async () => {
    const of = await provedAgent();
    const name = of.agent.name;
    const standing = async (by = ctx) => (await proofStanding(by, { name })).standing;
    expect(await standing()).toBe('unproven');
    await addProof(ctx, { ...of, status: 'failed' });
    expect(await standing()).toBe('failing');
    await addProof(later(1000), of);
    expect(await standing()).toBe('proven');
    // Another skill failed: that the first one passes does not hide it.
    await addProof(later(2000), { ...of, status: 'failed', more: { skill_name: 'other' } });
    expect(await standing()).toBe('failing');
    await addProof(later(3000), { ...of, more: { skill_name: 'other' } });
    expect(await proofStanding(ctx, { name })).toMatchObject({
      standing: 'proven',
      live: { passed: 2, failed: 2 },
      latest: { skill_name: 'other', stale: null },
    });
    expect(await standing(later(31 * PROOF_DAY_MS))).toBe('stale');
    const other = await addAgent(db, ada, { live: true });
    const next = await db('agents').where({ agent_id: other.id }).first('live_deploy_id');
    await db('agents')
      .where({ agent_id: of.agent.id })
      .update({ live_deploy_id: next?.live_deploy_id ?? null });
    expect(await proofStanding(ctx, { name })).toMatchObject({ standing: 'stale', live: { passed: 0, failed: 0 }, latest: { stale: 'version_changed' } });
  });

  test('a proof that its owner withdrew counts for nothing, hides nothing, and shows only that it was there', async () => {
    const of = await provedAgent();
    const { name } = of.agent;
    const owner = { ...ctx, actor: userActor(ada) };
    const standing = async () => (await proofStanding(ctx, { name })).standing;
    const failed = await addProof(ctx, { ...of, status: 'failed' });
    const taken = await withdrawProof(owner, { proof_id: failed.proof_id, reason: 'It named a customer' });
    expect(taken).toMatchObject({ withdrawn: { reason: 'It named a customer' }, args: { text: 'Hello World' } });
    // Not unproven: what failed is not made undone.
    expect(await proofStanding(ctx, { name })).toMatchObject({ standing: 'withdrawn', live: { passed: 0, failed: 0 }, latest: null });
    expect(badgeOf(await proofStanding(ctx, { name }))).toMatchObject({ message: 'withdrawn' });
    const shown = await getPublishedProof(ctx, { name, proof_id: failed.proof_id });
    expect(shown).toMatchObject({ withdrawn: { reason: 'It named a customer' }, args: {}, result: null, checks: [], proof: null, receipt: null });
    expect((await listPublishedProofs(ctx, { limit: 5, agent: name })).items).toMatchObject([{ proof_id: failed.proof_id, checks: [] }]);
    const passed = await addProof(later(1000), of);
    expect(await standing()).toBe('proven');
    // Again, by another, and at the same time: once.
    await Promise.all([1, 2].map((n) => withdrawProof(owner, { proof_id: passed.proof_id, reason: `${n}` })));
    expect(await db('audit_log').where({ action: 'proof.withdraw', target_id: passed.proof_id })).toHaveLength(1);
    const ben = { ...ctx, actor: userActor(await addUser(db, 'ben')) };
    await expect(withdrawProof(ben, { proof_id: passed.proof_id, reason: 'x' })).rejects.toMatchObject({ code: 'proof_not_found' });
    const hidden = await addProof(later(2000), { ...of, more: { published: false } });
    await expect(withdrawProof(owner, { proof_id: hidden.proof_id, reason: 'x' })).rejects.toMatchObject({ code: 'proof_not_published' });
  });

  test('counts neither what was not published, nor what has no verdict, nor what callers ran', async () => {
    const of = await provedAgent();
    const ben = await addUser(db, 'ben');
    await addProof(ctx, { ...of, more: { published: false } });
    await addProof(ctx, { ...of, userId: ben, more: { published: false, run_by: 'caller' } });
    await addProof(ctx, { ...of, status: 'failed', more: { token: null, proof_sha256: null } });
    expect(await proofStanding(ctx, { name: of.agent.name })).toMatchObject({ standing: 'unproven', all: { passed: 0, failed: 0 }, latest: null });
    await expect(addProof(ctx, { ...of, userId: ben, more: { run_by: 'caller' } })).rejects.toThrow('agent_proofs_check');
  });
});

describe('what is public', () => {
  test('is of public agents, under their own names, page by page', async () => {
    const [of, hidden] = [await provedAgent(), await provedAgent('unlisted')];
    const rows = [await addProof(ctx, of), await addProof(later(1), of), await addProof(later(2), of)];
    const secret = await addProof(later(3), hidden);
    const [newest] = rows.toReversed();
    const first = await listPublishedProofs(ctx, { limit: 2, agent: of.agent.name });
    const second = await listPublishedProofs(ctx, { limit: 2, agent: of.agent.name, cursor: first.next_cursor ?? '' });
    expect([...first.items, ...second.items].map(({ proof_id }) => proof_id)).toEqual(rows.map(({ proof_id }) => proof_id).toReversed());
    expect((await listPublishedProofs(ctx, { limit: 100 })).items.map(({ proof_id }) => proof_id)).not.toContain(secret.proof_id);
    const gone = { code: 'proof_not_found' };
    await expect(getPublishedProof(ctx, { name: hidden.agent.name, proof_id: secret.proof_id })).rejects.toMatchObject(gone);
    await expect(getPublishedProof(ctx, { name: (await provedAgent()).agent.name, proof_id: newest?.proof_id ?? '' })).rejects.toMatchObject(gone);
    await expect(proofStanding(ctx, { name: hidden.agent.name })).rejects.toMatchObject({ code: 'agent_not_found' });
    expect(JSON.stringify(await getPublishedProof(ctx, { name: of.agent.name, proof_id: newest?.proof_id ?? '' }))).not.toContain('grant_id');
  });

  test('users see their own proofs, of any agent', async () => {
    const of = await provedAgent();
    const ben = await addUser(db, 'ben');
    const row = await addProof(ctx, { ...of, userId: ben, more: { published: false, run_by: 'caller' } });
    const as = (user: string): Ctx => ({ ...ctx, actor: userActor(user) });
    expect((await listProofs(as(ben), { limit: 5 })).items.map(({ proof_id }) => proof_id)).toEqual([row.proof_id]);
    expect(await getProof(as(ben), { proof_id: row.proof_id })).toMatchObject({ args: { text: 'Hello World' }, published: false });
    await expect(getProof(as(ada), { proof_id: row.proof_id })).rejects.toMatchObject({ code: 'proof_not_found' });
  });
});

describe('the badge', () => {
  const of = { agent: `a"><script>alert(1)</script>`, live: { passed: 2, failed: 1 }, all: { passed: 5, failed: 1 }, max_age_days: 30, latest: null };
  test.each([
    ['proven', '2 of 3 passed', 'brightgreen'],
    ['failing', '2 of 3 passed', 'red'],
    ['stale', 'stale, 5 of 6 passed', 'yellow'],
    ['unproven', 'none', 'lightgrey'],
  ] as const)('of an agent that is %s', (standing, message, color) => {
    expect(badgeOf({ ...of, standing })).toEqual({ schemaVersion: 1, label: 'proofs', message, color, cacheSeconds: 300 });
  });

  test('is a picture with nothing in it to run', () => {
    const svg = svgOf({ ...of, standing: 'proven' });
    expect(svg).not.toMatch(/<script|href|on\w+=|url\(/);
    expect(svg).toContain('&lt;script&gt;');
  });
});

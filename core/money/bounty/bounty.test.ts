// Bounties and their rewards on a real database and its ledger.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BountyIn, MAX_OPEN_BOUNTIES } from '#contract/money/bounties.ts';
import { cites } from '#test/spec/verifies.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { addProof } from '#test/support/proofs.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { accountOf, platformAccount } from '../ledger/accounts.ts';
import { auditLedger } from '../ledger/audit-ledger.ts';
import { post } from '../ledger/post.ts';
import { getBounty, getPublicBounty, listBounties, listPublicBounties } from './list.ts';
import { cancelBounty, claimBounty, fulfillBounty } from './move.ts';
import { postBounty, bountySlug } from './post.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let eve: TestUser;
let agent: LiveAgent;
beforeAll(async () => {
  t = await testContext();
  [ada, ben, eve] = [await t.user('ada'), await t.user('ben'), await t.user('eve')];
  agent = await liveAgent(t.ctx, ben.actor.user_id, { visibility: 'public' });
});
afterAll(() => t.close());

const bounty = (ctx: Ctx, more: object = {}) => postBounty(ctx, BountyIn.parse({ title: 'Read invoices', description: 'From photos.', ...more }));
async function balance(kind: 'wallet' | 'earnings', { actor }: TestUser): Promise<number | undefined> {
  const account_id = await accountOf(t.ctx.db, kind, actor.user_id);
  return (await t.ctx.db('ledger_accounts').where({ account_id }).first())?.balance_micros;
}
async function give({ actor }: TestUser, micros: number): Promise<void> {
  const key = `test:${crypto.randomUUID()}`;
  const [wallet, promotion] = [await accountOf(t.ctx.db, 'wallet', actor.user_id), await platformAccount(t.ctx.db, 'promotion', key)];
  const lines = [{ accountId: wallet, micros }, { accountId: promotion, micros: -micros }]; // prettier-ignore
  await post(t.ctx.db, { key, kind: 'promotion', lines, refs: {}, at: Date.now() });
}

test(
  'the reward waits from the post to the end: paid to the one whose agent was claimed, or given back',
  cites('bounties.post', 'bounties.get', 'bounties.claim', 'bounties.fulfill', 'bounties.cancel'),
  async () => {
    await give(ada, 1_000);
    const one = await bounty(ada, { reward_micros: 700 });
    expect(await balance('wallet', ada)).toBe(300);
    await expect(bounty(ada, { reward_micros: 301 })).rejects.toMatchObject({ code: 'insufficient_credits' });
    await claimBounty(ben, { slug: one.slug, agent: agent.name });
    const ends = await Promise.allSettled([fulfillBounty(ada, one), fulfillBounty(ada, one), cancelBounty(ada, one)]);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { state } = await getBounty(ada, one);
    expect([await balance('wallet', ada), await balance('earnings', ben)]).toEqual(state === 'fulfilled' ? [300, 700] : [1_000, 0]);
    const other = await bounty(ada, { reward_micros: 100 });
    const before = await balance('wallet', ada);
    expect(await cancelBounty(ada, other)).toMatchObject({ state: 'cancelled' });
    expect(await balance('wallet', ada)).toBe((before ?? 0) + 100);
    expect(await auditLedger(t.ctx)).toEqual([]);
  },
);

test('only others claim it, with a live public agent of their own; of two at once one does', async () => {
  const { slug } = await bounty(ada);
  const [unlisted, hers] = [await liveAgent(t.ctx, ben.actor.user_id), await liveAgent(t.ctx, ada.actor.user_id, { visibility: 'public' })];
  await expect(claimBounty(ada, { slug, agent: hers.name })).rejects.toMatchObject({ code: 'bounty_own' });
  await expect(claimBounty(ben, { slug, agent: unlisted.name })).rejects.toMatchObject({ code: 'bounty_agent' });
  await expect(claimBounty(eve, { slug, agent: agent.name })).rejects.toMatchObject({ code: 'agent_not_found' });
  const eves = await liveAgent(t.ctx, eve.actor.user_id, { visibility: 'public' });
  const claims = await Promise.allSettled([claimBounty(ben, { slug, agent: agent.name }), claimBounty(eve, { slug, agent: eves.name })]);
  expect(claims.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(claims.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'bounty_state' } });
  for (const move of [fulfillBounty, cancelBounty]) await expect(move(ben, { slug })).rejects.toMatchObject({ code: 'bounty_not_found' });
});

test('an open bounty is not fulfilled, and an ended one stays as it is', async () => {
  const { slug } = await bounty(ada);
  await expect(fulfillBounty(ada, { slug })).rejects.toMatchObject({ code: 'bounty_state' });
  await cancelBounty(ada, { slug });
  for (const again of [() => cancelBounty(ada, { slug }), () => claimBounty(ben, { slug, agent: agent.name })])
    await expect(again()).rejects.toMatchObject({ code: 'bounty_state' });
});

test(
  'lists show open ones to all, claimed ones to everybody signed out, ended ones to those concerned',
  cites('bounties.list', 'public.bounties', 'public.bounty'),
  async () => {
    const tag = 'listed';
    const [open, claimed, cancelled] = [await bounty(ada, { tags: [tag] }), await bounty(ada, { tags: [tag] }), await bounty(ada, { tags: [tag] })];
    await claimBounty(ben, { slug: claimed.slug, agent: agent.name });
    await cancelBounty(ada, cancelled);
    const slugs = ({ items }: { items: { slug: string }[] }) => items.map(({ slug }) => slug);
    const page = { limit: 20, tag };
    expect(slugs(await listPublicBounties(t.ctx, page))).toEqual([claimed.slug, open.slug]);
    expect(slugs(await listBounties(eve, { ...page, mine: false }))).toEqual([open.slug]);
    expect(slugs(await listBounties(eve, { ...page, mine: true }))).toEqual([]);
    expect(slugs(await listBounties(ben, { ...page, mine: true }))).toEqual([claimed.slug]);
    expect(await getPublicBounty(t.ctx, claimed)).toMatchObject({ slug: claimed.slug, state: 'claimed' });
    expect(await getPublicBounty(t.ctx, cancelled)).toMatchObject({ state: 'cancelled' });
    await expect(getPublicBounty(t.ctx, { slug: 'no-such-bounty' })).rejects.toMatchObject({ code: 'bounty_not_found' });
    const first = await listBounties(ada, { limit: 2, tag, mine: false });
    const rest = await listBounties(ada, { limit: 2, tag, mine: false, cursor: first.next_cursor ?? '' });
    expect([...slugs(first), ...slugs(rest)]).toEqual([cancelled.slug, claimed.slug, open.slug]);
  },
);

test('a slug comes from the title; two of one title have two; an account has a limit', async () => {
  expect(['Read invoices, from photos!', 'Größe & Élan', '発票', '--'].map(bountySlug)).toEqual([
    'read-invoices-from-photos',
    'gro-e-elan',
    'bounty',
    'bounty',
  ]);
  const user = await t.user('many');
  const made = await Promise.all(Array.from({ length: 5 }, () => bounty(user)));
  expect(new Set(made.map(({ slug }) => slug)).size).toBe(5);
  for (let number = 5; number < MAX_OPEN_BOUNTIES; number += 1) await bounty(user);
  await expect(bounty(user)).rejects.toMatchObject({ code: 'too_many_bounties' });
});

test('where a proof is required, it is of the live version, passed, and published by the owner', async () => {
  const { slug } = await bounty(ada, { require_proof: true });
  await claimBounty(ben, { slug, agent: agent.name });
  const proof = { agent, deployId: agent.deployId, userId: ben.actor.user_id };
  await addProof(t.ctx, { ...proof, status: 'failed' });
  await expect(fulfillBounty(ada, { slug })).rejects.toMatchObject({ code: 'bounty_proof' });
  await addProof(t.ctx, proof);
  expect(await fulfillBounty(ada, { slug })).toMatchObject({ state: 'fulfilled' });
});

import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { type BountyIn, MAX_OPEN_BOUNTIES } from '#contract/money/bounties.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { requireUser } from '../../kernel/policy.ts';
import { storableJson, storableText } from '../../kernel/storable.ts';
import { bountyOf, type OwnBounty, presentOwnBounty } from './find.ts';
import { holdReward } from './reward.ts';

/** @throws Conflict too_many_bounties; PaymentRequired insufficient_credits */
export async function postBounty(ctx: Ctx, i: z.output<typeof BountyIn>): Promise<OwnBounty> {
  const bounty_id = newId('bty', ctx.clock());
  return act(ctx, 'bounty.post', requireUser, async (ctx, { user_id }) => {
    await ctx.db('users').where({ user_id }).forUpdate().first('user_id');
    const [open] = await ctx.db('bounties').where({ poster_id: user_id }).whereIn('state', ['open', 'claimed']).count<{ count: number }[]>('* as count');
    if (Number(open?.count ?? 0) >= MAX_OPEN_BOUNTIES)
      throw new Conflict('too_many_bounties', `The account has ${MAX_OPEN_BOUNTIES} open bounties, the most that are allowed: cancel one first`);
    const row = {
      bounty_id,
      poster_id: user_id,
      title: storableText(i.title),
      description: storableText(i.description),
      example_input: i.example_input === undefined ? null : storableJson(i.example_input),
      example_output: i.example_output === undefined ? null : storableJson(i.example_output),
      tags: i.tags,
      reward_micros: i.reward_micros,
      require_proof: i.require_proof,
      state: 'open' as const,
      created_at: new Date(ctx.clock()),
    };
    const wanted = bountySlug(i.title);
    const [made] = await ctx.db('bounties').insert({ ...row, slug: wanted }).onConflict('slug').ignore().returning('slug'); // prettier-ignore
    const slug = made?.slug ?? `${wanted}-${randomBytes(4).toString('hex')}`;
    if (!made) await ctx.db('bounties').insert({ ...row, slug });
    await holdReward(ctx.db, { bounty_id, poster_id: user_id, reward_micros: i.reward_micros }, ctx.clock());
    return done({ bounty: bounty_id }, { slug, reward_micros: i.reward_micros }, presentOwnBounty(await bountyOf(ctx.db, slug), user_id));
  });
}

/**
 * `Read invoices, from photos!` → `read-invoices-from-photos`. What has no Latin letter or digit is a
 * `bounty`.
 */
export function bountySlug(title: string): string {
  const plain = title.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const words = plain.replaceAll(/[^a-z0-9]+/g, '-').slice(0, 60);
  return words.replaceAll(/^-+|-+$/g, '') || 'bounty';
}

// Ways to language models, bounties, payouts.
import { newId } from '#core/kernel/ids.ts';
import type { BountiesRow } from '#db/tables.ts';
import { addPaidCreator } from '../../support/payouts.ts';
import { addUser } from '../../support/verbs.ts';
import type { AreaRecords, Owner } from './area.ts';

export async function moneyRecords(owner: Owner): Promise<AreaRecords> {
  const other = await addUser(owner.ctx.db, 'poster');
  const { run_id } = await addPaidCreator(owner.ctx, owner.userId);
  // The same run for both: there is one at a time.
  const settled = { body: { user_id: owner.userId, key: 'records' } };
  const claimed = { state: 'claimed' as const, agent_id: owner.agent.id, claimed_by: other, claimed_at: new Date() };
  return {
    params: {
      slug: await addBounty(owner, {}),
      'payoutStatements.statement.run_id': run_id,
      'payoutStatements.receipts.run_id': run_id,
      'bounties.cancel.slug': await addBounty(owner, {}),
      'bounties.claim.slug': await addBounty(owner, { poster_id: other }),
      'bounties.fulfill.slug': await addBounty(owner, claimed),
    },
    calls: {
      'llmCreds.put': { body: { name: 'main', provider: 'openai', api_key: 'sk-example-0123456789' } },
      'bounties.post': { body: { title: 'Read invoices', description: 'From photos.', tags: ['invoices'] } },
      'payouts.settle': settled,
      'payoutsAdmin.settle': settled,
      'payouts.openAccount': { body: {} },
      'bounties.claim': { body: { agent: owner.agent.name } },
    },
  };
}

async function addBounty({ ctx, userId }: Owner, more: Partial<BountiesRow>): Promise<string> {
  const bounty_id = newId('bty');
  const slug = `read-invoices-${bounty_id.slice(-12)}`;
  const words = { title: 'Read invoices', description: 'From **photos**.', tags: ['invoices'] };
  const examples = { example_input: '{"photo": "invoice.jpg"}', example_output: '{"total": 12.5}' };
  const row = { bounty_id, slug, poster_id: userId, ...words, reward_micros: 0, require_proof: false, state: 'open' as const, created_at: new Date() };
  await ctx.db('bounties').insert({ ...row, ...more, ...examples });
  return slug;
}

// Seals what a call was: the next link of the agent's chain, signed and stored in the caller's transaction.
import type { Knex } from 'knex';
import type { TxCtx } from '../../kernel/ctx.ts';
import { keysFor, ensureReceiptKey } from './keys.ts';
import { type ChainEnd, linkAfter, type ReceiptFacts, type SignedReceipt } from './link.ts';

/**
 * Appends one receipt. Holds the agent's chain until the transaction ends, so call it late in a short one;
 * other agents' chains are not touched. Rolled back, it leaves no gap.
 */
export async function appendReceipt(ctx: TxCtx, facts: ReceiptFacts): Promise<SignedReceipt> {
  const { sealed, row } = await linkAfter(await lockChain(ctx, facts), ctx, facts);
  const receipt = ctx.db('receipts').insert({ ...row, payload: JSON.stringify(row.payload) });
  const chain = ctx.db('receipt_chains').where({ agent_id: facts.agent.id }).update({ seq: sealed.payload.seq, head_sha256: sealed.payload_sha256 });
  // One statement: the chain is held for as few round trips as can be.
  await ctx
    .db('agents')
    .with('receipt', receipt)
    .with('chain', chain)
    .where({ agent_id: facts.agent.id })
    .update({ call_count: ctx.db.raw('call_count + 1') })
    .options({ name: 'seal_receipt' });
  return sealed;
}

/**
 * The key that seals, and the chain's head under its row lock; the chain starts here when it has not yet.
 * Without a key the chain is not locked.
 */
async function lockChain(ctx: TxCtx, { agent, endedAt }: Pick<ReceiptFacts, 'agent' | 'endedAt'>): Promise<ChainEnd> {
  const chainEnd = await lockWithKey(ctx.db, agent.id, endedAt);
  if (chainEnd) return chainEnd;
  await ensureReceiptKey(ctx, endedAt);
  const made = await lockWithKey(ctx.db, agent.id, endedAt);
  if (!made) throw new Error(`no receipt chain for ${agent.id}`);
  return made;
}

/** Undefined: no key holds `endedAt`. One statement, for every call waits for it. */
async function lockWithKey(tx: Knex.Transaction, agentId: string, endedAt: number): Promise<ChainEnd | undefined> {
  const key = keysFor(tx, endedAt).select('kid', 'private_sealed');
  const { rows } = await tx
    .raw<{ rows: (ChainEnd['key'] & ChainEnd['head'])[] }>(
      `with key as (?), head as (
       insert into receipt_chains (agent_id) select ? from key on conflict (agent_id) do update set agent_id = excluded.agent_id returning seq, head_sha256
     )
     select kid, private_sealed, seq, head_sha256 from key, head`,
      [key, agentId],
    )
    .options({ name: 'lock_receipt_chain' });
  const [row] = rows;
  return row && { key: row, head: row };
}

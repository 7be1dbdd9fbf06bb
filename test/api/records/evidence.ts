// Receipts, proofs and what the policy of an account says.
import { appendReceipt } from '#core/evidence/receipt/sign.ts';
import { inTx } from '#core/kernel/tx.ts';
import { addProof } from '../../support/proofs.ts';
import { facts } from '../../support/verbs.ts';
import type { AreaRecords, Owner } from './area.ts';

export async function evidenceRecords({ ctx, userId, agent, deployId }: Owner): Promise<AreaRecords> {
  const sealed = await inTx(ctx, (ctx) => appendReceipt(ctx, facts(agent, { caller: { kind: 'user', id: userId, userId } })));
  const { proof_id } = await addProof(ctx, { agent, deployId, userId });
  // Wide enough for all that other suites do with the account.
  const policy = { monthly_budget_cents: 1_000_000, run_budget_cents: 1_000_000, max_agent_calls_per_run: 10_000 };
  return {
    params: {
      receipt_id: sealed.receipt_id,
      proof_id,
      'controlRoom.receipt.source': 'receipt',
      'controlRoom.receipt.item_id': sealed.receipt_id,
    },
    calls: {
      'agentReceipts.report': { body: { token: sealed.token } },
      'agentProofs.withdraw': { body: { reason: 'Asked by a test' } },
      'agentProofs.run': { body: { skill_name: 'greet' } },
      'controlRoom.setPolicy': { body: policy },
    },
  };
}

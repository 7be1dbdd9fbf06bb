import type { Knex } from 'knex';
import type { z } from 'zod';
import type { ReceiptOut } from '#contract/evidence/agent-receipts.ts';
import type { ReceiptPayload } from '#contract/wire/receipt.ts';
import { sha256Hex } from '#contract/crypto/sha256.ts';
import type { ReceiptsRow } from '#db/tables.ts';
import { type Action, may } from '../../kernel/policy.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest, Conflict, Forbidden } from '../../kernel/errors.ts';
import { noSuchAgent } from '../../agents/agent/find.ts';
import { agentByName, mayKnow, type ReceiptAgent } from './find.ts';
import { presentReceipt } from './present.ts';
import { verifiedReceipt } from './verify.ts';

/**
 * Stores a receipt the agent's owner brings, once it is verified. It joins no chain: its own link says where
 * it belongs.
 */
export async function reportReceipt(ctx: Ctx, i: { name: string; token: string }): Promise<z.infer<typeof ReceiptOut>> {
  return act(ctx, 'receipt.report', ownAgent(i.name), async (ctx, agent) => {
    const token = i.token.trim();
    const { payload, bytes } = await verifiedReceipt(ctx.db, token);
    if (payload.agent.name !== agent.name) throw new BadRequest('receipt_other_agent', `This receipt is of ${payload.agent.name}: hand it in there`);
    const [row] = await ctx
      .db('receipts')
      .insert({
        receipt_id: payload.receipt_id,
        agent_id: agent.agent_id,
        source: 'self',
        kid: payload.kid,
        token,
        payload: JSON.stringify(payload),
        payload_sha256: sha256Hex(bytes),
        skill: payload.skill,
        status: payload.status,
        caller_kind: payload.caller.kind,
        caller_id: payload.caller.id,
        ...(await ourRows(ctx.db, agent.agent_id, payload)),
        started_at: payload.started_at,
        ended_at: payload.ended_at,
        duration_ms: payload.duration_ms,
      })
      .onConflict('receipt_id')
      .ignore()
      .returning('*');
    if (!row) return unchanged(presentReceipt(agent.name, await sameReceipt(ctx.db, agent.agent_id, payload.receipt_id, token)));
    return done({ receipt: row.receipt_id }, { agent: agent.name }, presentReceipt(agent.name, row));
  });
}

function ownAgent(name: string) {
  return async ({ db, actor }: Ctx, action: Action): Promise<ReceiptAgent> => {
    const agent = await agentByName(db, name);
    if (!agent || !mayKnow(actor, agent)) throw noSuchAgent(name);
    if (!may(actor, action, { owner: agent.owner_id })) throw new Forbidden('not_your_agent', `Only the owner of ${name} can hand in its receipts`);
    return agent;
  };
}

/** What the payload names may live elsewhere; only what is here is joined. */
async function ourRows(
  tx: Knex.Transaction,
  agentId: string,
  { agent, caller }: ReceiptPayload,
): Promise<{ caller_user_id: string | null; deploy_id: string | null }> {
  const user = caller.kind === 'user' && caller.id !== null ? await tx('users').where({ user_id: caller.id }).first('user_id') : undefined;
  const deployment =
    agent.deployment_id === null ? undefined : await tx('deployments').where({ deploy_id: agent.deployment_id, agent_id: agentId }).first('deploy_id');
  return { caller_user_id: user?.user_id ?? null, deploy_id: deployment?.deploy_id ?? null };
}

async function sameReceipt(tx: Knex.Transaction, agentId: string, receiptId: string, token: string): Promise<ReceiptsRow> {
  const stored = await tx('receipts').where({ receipt_id: receiptId, agent_id: agentId, token }).first();
  if (!stored) throw new Conflict('receipt_exists', `Another receipt is stored as ${receiptId}: a receipt cannot be replaced`);
  return stored;
}

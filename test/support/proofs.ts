// Proofs as they stand when they have ended: a real receipt, really sealed, of a call that nobody made.
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import type { Insert } from '#db/table-types.ts';
import type { AgentProofsRow } from '#db/tables.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { inTx } from '#core/kernel/tx.ts';
import { signProof } from '#core/evidence/proof/sign.ts';
import { appendReceipt } from '#core/evidence/receipt/sign.ts';
import { facts, type TestAgent } from './verbs.ts';

export interface ProofOf {
  agent: TestAgent;
  deployId: string;
  /** Who ran it; default: its owner. */
  userId: string;
  status?: 'passed' | 'failed';
  more?: Partial<Insert<'agent_proofs'>>;
}

/** Published, of the skill `slugify`. */
export function addProof(ctx: Ctx, { agent, deployId, userId, status = 'passed', more = {} }: ProofOf): Promise<AgentProofsRow> {
  const [args, result] = [{ text: 'Hello World' }, { slug: 'hello-world' }];
  return inTx(ctx, async (ctx) => {
    const [input, output] = [canonicalSha256(args), canonicalSha256(result)];
    const call = { deployId, caller: { kind: 'user', id: userId, userId }, inputSha256: input, outputSha256: output };
    const receipt = await appendReceipt(ctx, facts(agent, call));
    const { payload } = receipt;
    const deployment = await ctx.db('deployments').where({ deploy_id: deployId }).first('card');
    const proof_id = newId('prf', ctx.clock());
    const checks = [
      { name: 'outcome', passed: true, reason: null, property: null },
      { name: 'output_schema', passed: status === 'passed', reason: status === 'passed' ? null : 'slug: is not a number', property: null },
    ];
    const sealed = await signProof(ctx, {
      proof_id,
      agent: { name: agent.name, version: payload.agent.version, deployment_id: deployId, image: payload.agent.image },
      head_sha: 'c'.repeat(40),
      card_sha256: canonicalSha256(deployment?.card ?? null),
      skill: payload.skill,
      run_by: 'owner',
      input: { sha256: input, case: 'sampled', seed: 'seed' },
      output_sha256: output,
      grant_id: null,
      receipt: { receipt_id: receipt.receipt_id, sha256: receipt.payload_sha256 },
      limits: { deadline_seconds: 120, budget_micros: 1_000_000 },
      status,
      error_code: null,
      checks,
      counts: { checks: checks.length, passed: checks.filter(({ passed }) => passed).length, events: 0, files: 0, tool_calls: 0, handoffs: 0 },
      cost_micros: 0,
      started_at: payload.started_at,
      ended_at: payload.ended_at,
      elapsed_ms: payload.duration_ms,
    });
    const [row] = await ctx
      .db('agent_proofs')
      .insert({
        proof_id,
        agent_id: agent.id,
        agent_name: agent.name,
        owner_id: userId,
        run_by: 'owner',
        published: true,
        deploy_id: deployId,
        version: payload.agent.version,
        skill_name: payload.skill,
        args: JSON.stringify(args),
        input_sha256: input,
        args_case: 'sampled',
        seed: 'seed',
        deadline_at: new Date(ctx.clock() + 120_000),
        deadline_seconds: 120,
        budget_micros: 1_000_000,
        receipt_id: receipt.receipt_id,
        status,
        has_result: true,
        result: JSON.stringify(result),
        checks: JSON.stringify(checks),
        card_hash: canonicalSha256(deployment?.card ?? null),
        head_sha: 'c'.repeat(40),
        image: payload.agent.image,
        elapsed_ms: payload.duration_ms,
        ...sealed,
        created_at: new Date(ctx.clock()),
        ended_at: new Date(ctx.clock()),
        ...more,
      })
      .returning('*');
    if (!row) throw new Error('a proof was not written');
    return row;
  });
}

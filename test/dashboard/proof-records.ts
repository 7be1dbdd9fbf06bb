// A public agent of Ada's with published proofs, for the pages that everybody sees.
import { AgentCard } from '#contract/wire/card.ts';
import type { World } from '../api/world.ts';
import { addProof } from '../support/proofs.ts';
import { liveAgent } from '../support/runs.ts';

export async function addProofRecords(world: World): Promise<void> {
  const { ctx, records } = world;
  const hers = await ctx
    .db('agents')
    .where({ name: records['name'] ?? '' })
    .first('owner_id');
  const userId = hers?.owner_id ?? '';
  const agent = await liveAgent(ctx, userId, { visibility: 'public' });
  const input_schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  const skills = [{ id: 'slugify', name: 'slugify', description: 'Makes slugs.', input_schema, output_schema: { type: 'object' } }];
  const card = JSON.stringify(AgentCard.parse({ name: agent.name, description: 'Makes slugs.', version: '1.0.0', skills }));
  for (const table of ['agents', 'deployments'] as const) await ctx.db(table).where({ agent_id: agent.id }).update({ card });
  await ctx
    .db('agents')
    .where({ agent_id: agent.id })
    .update({ skills: ['slugify'] });
  const of = { agent, deployId: agent.deployId, userId };
  const failed = await addProof({ ...ctx, clock: () => Date.now() - 86_400_000 }, { ...of, status: 'failed' });
  const passed = await addProof(ctx, of);
  Object.assign(records, { 'proof.agent': agent.name, 'proof.passed': passed.proof_id, 'proof.failed': failed.proof_id });
}

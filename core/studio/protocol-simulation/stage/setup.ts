// What the agent asks of its callers, planted for the account of the stage: without it no call would reach
// the agent.
import type { AgentCard, SetupField } from '#contract/wire/card.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { lengthOf, setupContext, type SetupValue } from '../../../agents/setup/fields.ts';
import { canaryOf } from './model.ts';

export async function plantSetup(
  ctx: Ctx,
  { jobId, agentId, userId, card }: { jobId: string; agentId: string; userId: string; card: AgentCard },
): Promise<void> {
  for (const field of card.consumer_setup ?? []) {
    const value = field.kind === 'secret' && field.type === 'string' ? await canaryOf(ctx, jobId, `setup/${field.name}`) : plainValue(field);
    if (value === undefined) continue;
    const owner = { agent_id: agentId, user_id: userId };
    const json = JSON.stringify(value);
    const secret = field.kind === 'secret';
    const encryptedValue = secret ? await ctx.drivers.vault.seal(Buffer.from(json), setupContext({ ...owner, field_name: field.name })) : null;
    await ctx
      .db('consumer_setup_values')
      .insert({ ...owner, field_name: field.name, value: secret ? null : json, value_sealed: encryptedValue, size_bytes: lengthOf(field.name, value) })
      .onConflict(['agent_id', 'user_id', 'field_name'])
      .ignore();
  }
}

/** Undefined: it has a default. */
function plainValue(field: SetupField): SetupValue | undefined {
  if (field.default !== undefined) return undefined;
  return field.type === 'boolean' ? true : field.type === 'number' ? 1 : field.type === 'url' ? 'https://rehearsal.invalid/' : 'rehearsal';
}

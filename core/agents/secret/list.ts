import type { z } from 'zod';
import type { AgentSecretListOut } from '#contract/agents/agent-secrets.ts';
import { AgentCard } from '#contract/wire/card.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { agentFor } from '../agent/find.ts';
import { presentSecret, secretColumns } from './present.ts';
import { requiredNames } from './warnings.ts';

export async function listSecrets(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof AgentSecretListOut>> {
  const { agent_id, card } = await agentFor(ctx.db, ctx.actor, 'agent_secret.list', i.name);
  const rows = await ctx
    .db('agent_secrets')
    .where({ agent_id })
    .orderBy('name')
    .select(...secretColumns);
  const set = new Set(rows.map(({ name }) => name));
  const read = AgentCard.pick({ required_secrets: true, required_env: true }).safeParse(card).data;
  const required = read ? requiredNames(read) : [];
  return { items: rows.map(presentSecret), missing: required.filter((name) => !set.has(name)) };
}

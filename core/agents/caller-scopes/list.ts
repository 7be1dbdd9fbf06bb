import type { Knex } from 'knex';
import type { z } from 'zod';
import { type CallerScopesListOut, type CallerScopesOut, MAX_CALLER_SCOPES } from '#contract/agents/caller-scopes.ts';
import { AgentCard } from '#contract/wire/card.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { agentFor } from '../agent/find.ts';

export async function listCallerScopes(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof CallerScopesListOut>> {
  const { agent_id, card } = await agentFor(ctx.db, ctx.actor, 'caller_scopes.list', i.name);
  const rows = await callerScopes(ctx.db, agent_id).orderBy('c.updated_at', 'desc').limit(MAX_CALLER_SCOPES);
  const declared =
    AgentCard.pick({ skills: true })
      .safeParse(card)
      .data?.skills.flatMap(({ scopes }) => scopes) ?? [];
  return { items: rows.map(presentCallerScopes), declared: [...new Set(declared)] };
}

export function callerScopes(db: Knex, agentId: string) {
  return db('caller_scopes as c')
    .join('users as u', 'u.user_id', 'c.user_id')
    .leftJoin('organizations as o', 'o.organization_id', 'c.user_id')
    .where({ 'c.agent_id': agentId })
    .select('c.user_id', 'c.scopes', 'c.created_at', 'c.updated_at', 'u.email', 'o.slug');
}

type Row = Awaited<ReturnType<typeof callerScopes>>[number];

export function presentCallerScopes({ user_id, scopes, created_at, updated_at, email, slug }: Row): z.infer<typeof CallerScopesOut> {
  return { account_id: user_id, account: slug ?? email, scopes, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
}

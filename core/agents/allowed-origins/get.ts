import type { Knex } from 'knex';
import type { z } from 'zod';
import type { AllowedOriginsOut } from '#contract/agents/allowed-origins.ts';
import { declaredOrigins } from '#contract/wire/manifest.ts';
import type { AgentsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { agentFor } from '../agent/find.ts';

export async function getAllowedOrigins(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof AllowedOriginsOut>> {
  return presentOrigins(ctx.db, await agentFor(ctx.db, ctx.actor, 'allowed_origins.get', i.name));
}

type Row = Pick<AgentsRow, 'allowed_origins' | 'live_deploy_id' | 'visibility'>;

export async function presentOrigins(db: Knex, { allowed_origins: set, live_deploy_id, visibility }: Row): Promise<z.infer<typeof AllowedOriginsOut>> {
  const live = live_deploy_id === null ? undefined : await db('deployments').where({ deploy_id: live_deploy_id }).first('manifest');
  const declared = declaredOrigins(live?.manifest) ?? null;
  const byDefault = visibility === 'public' ? 'any' : 'none';
  return { allowed_origins: set, declared, effective: (set ?? declared) === null ? byDefault : 'listed' };
}

import type { Knex } from 'knex';
import type { z } from 'zod';
import { type AgentSecretIn, type AgentSecretSetOut, MAX_SECRET_BYTES, MAX_SECRETS, MAX_SECRETS_BYTES } from '#contract/agents/agent-secrets.ts';
import { requireUser } from '../../kernel/policy.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, PayloadTooLarge } from '../../kernel/errors.ts';
import { agentFor } from '../agent/find.ts';
import { restartAgent } from '../followers.ts';
import { secretContext } from './context.ts';
import { presentSecret, secretColumns } from './present.ts';
import { correctWarnings } from './warnings.ts';

/** @throws Conflict secret_limit, injection_taken; PayloadTooLarge secret_too_large */
export async function putSecret(ctx: Ctx, i: { name: string; restart: boolean } & z.infer<typeof AgentSecretIn>): Promise<z.infer<typeof AgentSecretSetOut>> {
  return act(ctx, 'agent_secret.put', requireUser, async (ctx, user) => {
    const value = Buffer.from(i.value);
    if (value.length > MAX_SECRET_BYTES)
      throw new PayloadTooLarge('secret_too_large', `A secret has at most ${MAX_SECRET_BYTES} bytes; this one has ${value.length}`);
    const { agent_id } = await agentFor(ctx.db, user, 'agent_secret.put', i.name);
    // The agent's row first, as everywhere: versions follow each other.
    await ctx.db('agents').where({ agent_id }).forUpdate().first('agent_id');
    await requireRoom(ctx.db, agent_id, i, value.length);
    const before = await ctx.db('agent_secrets').where({ agent_id, name: i.key }).first('version');
    const version = (before?.version ?? 0) + 1;
    const encryptedValue = await ctx.drivers.vault.seal(value, secretContext({ agent_id, name: i.key, version }));
    const inject = i.inject === null ? null : JSON.stringify(i.inject);
    const [row] = await ctx
      .db('agent_secrets')
      .insert({ agent_id, name: i.key, version, value_sealed: encryptedValue, inject })
      .onConflict(['agent_id', 'name'])
      .merge({ version, value_sealed: encryptedValue, inject, updated_at: ctx.db.raw('now()') })
      .returning(secretColumns);
    if (!row) throw new Error('the secret was not stored');
    await correctWarnings(ctx.db, agent_id, i.key, 'set');
    for (const { secretSet } of ctx.followers.agents) await secretSet?.(ctx, agent_id);
    const again = i.restart ? await restartAgent(ctx, user, agent_id) : undefined;
    return done(
      { agent: agent_id },
      { key: i.key, version, injected: i.inject !== null },
      {
        ...presentSecret(row),
        applies: again ? 'restarting' : 'next_start',
        deploy_id: again?.deploy_id ?? null,
        job_id: again?.job_id ?? null,
      },
    );
  });
}

async function requireRoom(
  tx: Knex.Transaction,
  agentId: string,
  i: { key: string; inject: { host: string; header: string } | null },
  bytes: number,
): Promise<void> {
  const others = await tx('agent_secrets')
    .where({ agent_id: agentId })
    .whereNot({ name: i.key })
    .select<{ name: string; inject: { host: string; header: string } | null; sealed: number }[]>('name', 'inject', tx.raw('length(value_sealed) as sealed'));
  // Sealed it is longer by a third and a little; near enough for a bound.
  const before = others.reduce((sum, { sealed }) => sum + Math.floor(sealed * 0.75), 0);
  if (others.length >= MAX_SECRETS || before + bytes > MAX_SECRETS_BYTES)
    throw new Conflict('secret_limit', `An agent has at most ${MAX_SECRETS} secrets and ${MAX_SECRETS_BYTES} bytes of them: delete some first`);
  const same = others.find(({ inject }) => inject !== null && inject.host === i.inject?.host && inject.header.toLowerCase() === i.inject.header.toLowerCase());
  if (same) throw new Conflict('injection_taken', `${same.name} is already the header ${i.inject?.header} of ${i.inject?.host}: change or delete that one`);
}

import type { Knex } from 'knex';
import type { z } from 'zod';
import { type ConsumerSetupIn, type ConsumerSetupOut, MAX_SETUP_LENGTH, type OrgSetupIn } from '#contract/agents/consumer-setup.ts';
import { memberActor } from '../../accounts/acting.ts';
import { withControl } from '../../accounts/control.ts';
import { requireUser } from '../../kernel/policy.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { NotFound, PayloadTooLarge } from '../../kernel/errors.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { checkValues } from './check.ts';
import { lengthOf, setupContext, type SetupValue } from './fields.ts';
import { setupAgent } from './find.ts';
import { presentSetup } from './present.ts';
import { resolveFields } from './resolve.ts';

interface Owner {
  agent_id: string;
  user_id: string;
}

/** @throws Invalid for values that do not fit; PayloadTooLarge setup_too_large */
export async function putSetup(ctx: Ctx, i: { name: string } & z.infer<typeof ConsumerSetupIn>): Promise<z.infer<typeof ConsumerSetupOut>> {
  return act(ctx, 'consumer_setup.put', requireUser, async (ctx, user) => {
    const agent = await setupAgent(ctx.db, user, 'consumer_setup.put', i.name);
    const { set, taken } = checkValues(agent.fields, i.values);
    const owner = { agent_id: agent.agentId, user_id: user.user_id };
    // One writer at a time: the bound is for all values together.
    await lockName(ctx.db, `consumer_setup ${owner.agent_id} ${owner.user_id}`);
    if (taken.length > 0) await ctx.db('consumer_setup_values').where(owner).whereIn('field_name', taken).delete();
    for (const [name, value] of set)
      await store(ctx, owner, { name, value, secret: agent.fields.some((field) => field.name === name && field.kind === 'secret') });
    await requireRoom(ctx.db, owner);
    const shown = presentSetup(agent.name, await resolveFields(ctx.db, { ...agent, userId: user.user_id }));
    return done({ agent: agent.agentId }, { set: [...set.keys()], taken }, shown);
  });
}

/**
 * What its members' calls for it find. @throws NotFound organization_not_found; Forbidden role_not_allowed
 */
export async function putOrgSetup(ctx: Ctx, i: { name: string } & z.infer<typeof OrgSetupIn>): Promise<z.infer<typeof ConsumerSetupOut>> {
  const actor = await memberActor(ctx.db, requireUser(ctx, 'consumer_setup.read'), { slug: i.organization });
  if (!actor)
    throw new NotFound('organization_not_found', `You belong to no organization ${i.organization}: set values for yourself with "svc setup ${i.name}"`);
  return putSetup({ ...ctx, actor: await withControl(ctx.db, actor) }, i);
}

export async function deleteSetup(ctx: Ctx, i: { name: string; field_name: string }): Promise<void> {
  await act(ctx, 'consumer_setup.delete', requireUser, async (ctx, user) => {
    // Also of an agent that is no longer listed, or no longer declares the field.
    const gone = await ctx
      .db('consumer_setup_values as v')
      .where({ user_id: user.user_id, field_name: i.field_name })
      .whereIn('agent_id', ctx.db('agents').where({ name: i.name }).whereNull('deleted_at').select('agent_id'))
      .delete()
      .returning('agent_id');
    const [value] = gone;
    if (!value) throw new NotFound('setup_value_not_found', `You have set no ${i.field_name} for ${i.name}`);
    return done({ agent: value.agent_id }, { field: i.field_name });
  });
}

async function store(ctx: TxCtx, owner: Owner, i: { name: string; value: SetupValue; secret: boolean }): Promise<void> {
  const json = JSON.stringify(i.value);
  const context = setupContext({ ...owner, field_name: i.name });
  const written = {
    value: i.secret ? null : json,
    value_sealed: i.secret ? await ctx.drivers.vault.seal(Buffer.from(json), context) : null,
    size_bytes: lengthOf(i.name, i.value),
  };
  await ctx
    .db('consumer_setup_values')
    .insert({ ...owner, field_name: i.name, ...written })
    .onConflict(['agent_id', 'user_id', 'field_name'])
    .merge({ ...written, updated_at: ctx.db.raw('now()') });
}

async function requireRoom(tx: Knex.Transaction, owner: Owner): Promise<void> {
  const [sum] = await tx('consumer_setup_values').where(owner).sum<{ length: number | null }[]>('size_bytes as length');
  const length = sum?.length ?? 0;
  if (length <= MAX_SETUP_LENGTH) return;
  throw new PayloadTooLarge(
    'setup_too_large',
    `All values for one agent have at most ${MAX_SETUP_LENGTH} characters together, these have ${length}: shorten or take away some`,
  );
}

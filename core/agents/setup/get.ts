import type { z } from 'zod';
import type { ConsumerSetupOut, SetupInvocationIn, SetupInvocationOut } from '#contract/agents/consumer-setup.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { checkValues } from './check.ts';
import { setupAgent } from './find.ts';
import { presentInvocation, presentSetup } from './present.ts';
import { type ResolvedField, resolveFields } from './resolve.ts';

export async function getSetup(ctx: Ctx, i: { name: string }): Promise<z.infer<typeof ConsumerSetupOut>> {
  const user = requireUser(ctx, 'consumer_setup.read');
  const agent = await setupAgent(ctx.db, user, 'consumer_setup.read', i.name);
  return presentSetup(agent.name, await resolveFields(ctx.db, { ...agent, userId: user.user_id }));
}

/** Nothing is called, opened or kept. @throws Invalid for values that do not fit */
export async function tryInvocation(ctx: Ctx, i: { name: string } & z.infer<typeof SetupInvocationIn>): Promise<z.infer<typeof SetupInvocationOut>> {
  const user = requireUser(ctx, 'consumer_setup.read');
  const agent = await setupAgent(ctx.db, user, 'consumer_setup.read', i.name);
  const tried = checkValues(agent.fields, i.values);
  const resolvedFields = await resolveFields(ctx.db, { ...agent, userId: user.user_id });
  const withTried = resolvedFields.map((one): ResolvedField => {
    const { field } = one;
    if (tried.set.has(field.name)) return { ...one, source: 'user', value: tried.set.get(field.name) ?? '' };
    if (!tried.taken.includes(field.name)) return one;
    return field.default === undefined ? { field, source: 'missing', updatedAt: null } : { field, source: 'default', value: field.default, updatedAt: null };
  });
  return presentInvocation(agent.name, withTried);
}

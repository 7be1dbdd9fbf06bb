// An agent's name is its address: the first account that takes it keeps it, also after it retires the agent.
import { hostOwner } from '#contract/wire/host-owner.ts';
import { reservedName } from '#contract/wire/reserved-names.ts';
import type { Insert } from '#db/table-types.ts';
import type { Ctx, TxCtx, UserActor } from '../../kernel/ctx.ts';
import { BadRequest, Conflict, PaymentRequired } from '../../kernel/errors.ts';
import { accountLimit } from '../../accounts/control.ts';
import { may } from '../../kernel/policy.ts';
import { newId } from '../../kernel/ids.ts';
import { agentUrl } from './url.ts';

type Details = Partial<Pick<Insert<'agents'>, 'kind' | 'description' | 'tags' | 'visibility' | 'reuse_policy' | 'search_text'>>;

/**
 * Inserts the agent, or resolves undefined when the caller has one of that name already. Throws Conflict when
 * the name belongs to another account.
 */
export async function claimName(ctx: TxCtx, user: UserActor, name: string, details: Details = {}): Promise<string | undefined> {
  const reserved = reservedName(name) ?? (isAgentsHost(ctx, name) ? undefined : `${name} is reserved by the platform: choose another name`);
  if (reserved !== undefined) throw new BadRequest('name_reserved', reserved);
  const holder = await ctx.db('agents').where({ name }).orderByRaw('deleted_at desc nulls first').first('owner_id', 'deleted_at');
  if (holder && !may(user, 'agent.deploy', { owner: holder.owner_id })) throw nameTaken(name);
  if (holder?.deleted_at === null) return undefined;
  const [{ count } = { count: 0 }] = await ctx.db('agents').where({ owner_id: user.user_id }).whereNull('deleted_at').count<{ count: number }[]>('* as count');
  const most = await accountLimit(ctx.db, user.user_id, 'agents');
  if (count >= most) {
    throw new PaymentRequired('agent_limit', `Your account has ${most} agents, the most it can have: delete some first`);
  }
  const agentId = newId('agt', ctx.clock());
  const inserted = await ctx
    .db('agents')
    .insert({ agent_id: agentId, name, owner_id: user.user_id, kind: 'hosted', search_text: name, ...details })
    .onConflict(ctx.db.raw('(name) where deleted_at is null'))
    .ignore()
    .returning('agent_id');
  if (inserted.length > 0) {
    await ctx.db('receipt_chains').insert({ agent_id: agentId });
    return agentId;
  }
  const existing = await ctx.db('agents').where({ name }).whereNull('deleted_at').first('owner_id');
  if (!existing || !may(user, 'agent.deploy', { owner: existing.owner_id })) throw nameTaken(name);
  return undefined;
}

/**
 * False where the agent's address would be the platform's own, as `svc.example.com` is below `example.com`:
 * such an agent is never reached.
 */
function isAgentsHost({ config }: Ctx, name: string): boolean {
  return hostOwner(config)(new URL(agentUrl(config, name)).host).kind === 'agent';
}

function nameTaken(name: string): Conflict {
  return new Conflict('name_taken', `The name ${name} belongs to another account: choose another one`);
}

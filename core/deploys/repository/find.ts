// Finding the agent whose source is asked for: its owner, or who has a token of this one repository.
import type { Knex } from 'knex';
import type { UserActor, Actor } from '../../kernel/ctx.ts';
import { Forbidden } from '../../kernel/errors.ts';
import type { Action } from '../../kernel/policy.ts';
import { agentFor, noSuchAgent } from '../../agents/agent/find.ts';
import type { AgentView } from '../../agents/agent/select.ts';

type SourceAction = Extract<Action, `source.${string}`>;

/**
 * @throws NotFound agent_not_found: also of another account's; Forbidden wrong_repository, read_only_token
 */
export async function sourceFor(db: Knex, actor: Actor, action: SourceAction, name: string): Promise<AgentView> {
  if (actor.kind !== 'source_token') return agentFor(db, actor, action, name);
  if (actor.agent_name !== name) {
    const sibling = await db('agents').where({ name, owner_id: actor.owner_id }).whereNull('deleted_at').first('agent_id');
    throw sibling
      ? new Forbidden('wrong_repository', `This token is for the source of ${actor.agent_name}, not of ${name}: get one for ${name}`)
      : noSuchAgent(name);
  }
  if (actor.mode === 'read' && action !== 'source.read')
    throw new Forbidden('read_only_token', `This token may read the source of ${name} and not change it: get one with mode write`);
  return agentFor(db, actor, action, name);
}

/** What is done with a source token is done in its owner's account. */
export async function ownerOf(db: Knex, ownerId: string): Promise<UserActor> {
  const user = await db('users').where({ user_id: ownerId }).first('user_id', 'email');
  if (!user) throw new Error(`no user ${ownerId}`);
  return { kind: 'user', user_id: user.user_id, email: user.email, operator: false, via: 'bearer' };
}

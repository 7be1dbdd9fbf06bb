// The accounts whose policies bind a run: that of its user, of its agent's owner, and of the owner of every
// agent in the chain of calls that led to it. So an agent cannot evade a policy by calling another agent.
import type { Knex } from 'knex';
import { agentOfStep } from '../kernel/chain.ts';
import type { Actor, RunActor } from '../kernel/ctx.ts';
import { processKey } from '../kernel/settings.ts';

const MAX_CACHED_OWNERS = 20_000;
/** The name of an agent is never another's, so an owner once read stays right. */
const owners = new WeakMap<object, Map<string, string>>();

/** `db` may be a transaction. */
export async function accountsOf(db: Knex, actor: Actor): Promise<string[]> {
  if (actor.kind === 'run') return accountsOfRun(db, actor);
  if (actor.kind === 'user') return [actor.user_id];
  return 'owner_id' in actor ? [actor.owner_id] : [];
}

async function accountsOfRun(db: Knex, run: RunActor): Promise<string[]> {
  const before = run.chain.map(agentOfStep).filter((name) => name !== run.agent_name);
  const callers = before.length === 0 ? [] : await ownersOfAgents(db, [...new Set(before)]);
  return [...new Set([...(run.user_id === null ? [] : [run.user_id]), run.owner_id, ...callers])];
}

async function ownersOfAgents(db: Knex, names: readonly string[]): Promise<string[]> {
  const key = processKey(db);
  const ownersByAgent = owners.get(key) ?? new Map<string, string>();
  owners.set(key, ownersByAgent);
  const unknown = names.filter((name) => !ownersByAgent.has(name));
  if (unknown.length > 0) {
    if (ownersByAgent.size > MAX_CACHED_OWNERS) ownersByAgent.clear();
    for (const { name, owner_id } of await db('agents').whereIn('name', unknown).select('name', 'owner_id')) ownersByAgent.set(name, owner_id);
  }
  return names.flatMap((name) => ownersByAgent.get(name) ?? []);
}

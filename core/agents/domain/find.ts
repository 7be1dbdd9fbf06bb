import type { Knex } from 'knex';
import type { AgentDomainsRow } from '#db/tables.ts';
import type { Actor, Ctx, PlatformConfig } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import type { Action } from '../../kernel/policy.ts';
import { agentFor } from '../agent/find.ts';
import type { AgentView } from '../agent/select.ts';
import { parseHostname } from './hostname.ts';

export interface AgentDomain {
  agent: AgentView;
  domain: AgentDomainsRow;
}

/** @throws NotFound agent_not_found, domain_not_found; BadRequest hostname_invalid, hostname_reserved */
export async function domainFor(
  db: Knex,
  { actor, config }: { actor: Actor; config: PlatformConfig },
  action: Action,
  i: { name: string; hostname: string },
): Promise<AgentDomain> {
  const agent = await agentFor(db, actor, action, i.name);
  const hostname = parseHostname(i.hostname, config);
  const domain = await db('agent_domains').where({ agent_id: agent.agent_id, hostname }).whereNot({ state: 'removed' }).first();
  if (!domain) throw new NotFound('domain_not_found', `${i.name} has no custom domain ${i.hostname}: list its domains`);
  return { agent, domain };
}

/** The subject of an action (core/kernel/act.ts): as domainFor, for who acts. */
export function domainNamed(i: { name: string; hostname: string }) {
  return (ctx: Pick<Ctx, 'db' | 'actor' | 'config'>, action: Action): Promise<AgentDomain> => domainFor(ctx.db, ctx, action, i);
}

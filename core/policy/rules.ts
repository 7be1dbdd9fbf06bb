// What the rules that an account wrote say to a question of a hook, with what rules know of agents and hooks
// do not.
import type { Knex } from 'knex';
import type { PolicyAction } from '#contract/states.ts';
import type { Ctx } from '../kernel/ctx.ts';
import { decideByRules, principalOf, type RuleDecision } from './cedar/decide.ts';
import type { RuleContext, RulePrincipal, RuleResource } from './cedar/request.ts';
import { rulesOf } from './cedar/rules.ts';

/** An agent by its name: its owner is looked up where there are rules. */
export type PolicyResource = Exclude<RuleResource, { type: 'Agent' }> | { type: 'Agent'; name: string };

export interface RuleQuestion {
  /** Whose rules. */
  accountId: string;
  action: PolicyAction;
  resource: PolicyResource;
  context: RuleContext;
  /** Default: the actor. */
  principal?: RulePrincipal;
}

/** Null: the account has no rules, or there is no principal. */
export async function askRules(ctx: Ctx, { accountId, resource, principal: given, ...question }: RuleQuestion): Promise<RuleDecision | null> {
  const principal = given ?? principalOf(ctx.actor);
  if (principal === null || !(await rulesOf(ctx.db, accountId))) return null;
  return decideByRules(ctx, { ...question, accountId, principal, resource: await known(ctx.db, accountId, resource) });
}

/** What has no agent of this name, as the chat of the account, is the account's own. */
async function known(db: Knex, accountId: string, resource: PolicyResource): Promise<RuleResource> {
  if (resource.type !== 'Agent') return resource;
  const row = await db('agents').where({ name: resource.name }).first('owner_id', 'visibility');
  return { ...resource, owner: row?.owner_id ?? accountId, listed: row?.visibility === 'public' };
}

/** As a refusal names it. */
export function resourceName(resource: PolicyResource): string {
  switch (resource.type) {
    case 'Agent':
      return resource.name;
    case 'Skill':
      return `${resource.agent}/${resource.skill}`;
    case 'Path':
      return resource.path;
    case 'Host':
      return resource.port === undefined ? resource.host : `${resource.host}:${resource.port}`;
  }
}

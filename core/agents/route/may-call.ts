import { ON_EMAIL } from '#contract/wire/mail.ts';
import type { Actor } from '../../kernel/ctx.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { may } from '../../kernel/policy.ts';
import type { AgentRoute } from './resolve.ts';

/**
 * What a dev box serves: its owner. A public agent: all callers. An unlisted one: its owner, its own token,
 * and the runs of its owner's agents.
 */
export function mayCall(actor: Actor, route: Pick<AgentRoute, 'agentId' | 'ownerId' | 'visibility' | 'box'>): boolean {
  if (route.box) return may(actor, 'dev_box.open', { owner: route.ownerId });
  return may(actor, 'agent.call', { owner: route.ownerId, agent: route.agentId, listed: route.visibility === 'public' });
}

/** A token whose scopes name skills calls only these. @throws Forbidden skill_not_allowed */
export function requireSkill(actor: Actor, skill: string): void {
  if (actor.kind !== 'api_token' || actor.skills === undefined || actor.skills.includes(skill)) return;
  throw new Forbidden('skill_not_allowed', `This token may call only ${actor.skills.join(', ')}: use a token whose scopes name ${skill}`);
}

/**
 * on_email trusts its sender, which only the platform's mail has verified, so no other caller may call it.
 * `skill` may be any name.
 * @throws Forbidden mail_only
 */
export function refuseMailSkill({ card }: Pick<AgentRoute, 'card'>, skill: string): void {
  const skills = card?.skills ?? [];
  const isAll = skills.length > 0 && skills.every(({ id }) => id === ON_EMAIL);
  if (skill !== ON_EMAIL && !isAll) return;
  throw new Forbidden('mail_only', `Only the platform calls ${ON_EMAIL}, with mail: write to the agent's mailbox, or call another of its skills`);
}

/**
 * For what reaches an agent by ways that name no skill: the agent chooses it, so such a token may not.
 * @throws Forbidden skill_not_allowed
 */
export function requireAllSkills(actor: Actor): void {
  if (actor.kind !== 'api_token' || actor.skills === undefined) return;
  throw new Forbidden('skill_not_allowed', 'A token with scopes calls skills by /invoke/<skill> and /mcp only: use a token without scopes here');
}

// Skills as a person may call them: of their own agents and of public ones that are live.
import type { Knex } from 'knex';
import { AgentCard, type SkillCard } from '#contract/wire/card.ts';
import { ON_EMAIL } from '#contract/wire/mail.ts';
import type { UserActor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { agentFor } from '../../agents/agent/find.ts';

export interface FoundSkill {
  agent: string;
  mine: boolean;
  /** Whether its agent can change something beyond its answer: files it may write, hosts it may reach. */
  reaches: boolean;
  skill: SkillCard;
}

/** @throws NotFound agent_not_found, skill_not_found (which says what there is) */
export async function skillOf(db: Knex, user: UserActor, agent: string, skill: string | undefined): Promise<FoundSkill> {
  const row = await agentFor(db, user, 'agent.read', agent);
  const found = skillsOf(row.card, { agent: row.name, mine: row.owner_id === user.user_id });
  const named = skill === undefined && found.length === 1 ? found[0] : found.find((one) => one.skill.id === skill);
  if (named) return named;
  const known = found.map((one) => one.skill.id).join(', ');
  if (known === '') throw new NotFound('skill_not_found', `${agent} has no skills that can be called: it is not live`);
  throw new NotFound(
    'skill_not_found',
    skill === undefined ? `${agent} has several skills: say which, @${agent}.<skill>, of ${known}` : `${agent} has no skill ${skill}; it has ${known}`,
  );
}

/** Of a card as it is stored, without the one that only mail calls; none where it cannot be read. */
export function skillsOf(card: unknown, who: { agent: string; mine: boolean }): FoundSkill[] {
  const parsed = AgentCard.safeParse(card);
  if (!parsed.success) return [];
  const { workspace_access: access, runtime, skills } = parsed.data;
  const writes = access.enabled && access.allowed_modes.includes('read_write_overlay');
  const reaches =
    writes || !runtime.egress.deny_internet_by_default || runtime.egress.allow_hosts.length > 0 || runtime.egress.allow_internal_services.length > 0;
  return skills.filter(({ id }) => id !== ON_EMAIL).map((skill) => ({ ...who, reaches, skill }));
}

// Skills of a card as they may be called.
import { AgentCard, type SkillCard } from '#contract/wire/card.ts';
import { ON_EMAIL } from '#contract/wire/mail.ts';

export interface CallableSkill {
  agent: string;
  mine: boolean;
  /** Whether its agent can change something beyond its answer: files it may write, hosts it may reach. */
  reaches: boolean;
  skill: SkillCard;
}

/** Of a card as it is stored, without the one that only mail calls; none where it cannot be read. */
export function skillsOf(card: unknown, who: { agent: string; mine: boolean }): CallableSkill[] {
  const parsed = AgentCard.safeParse(card);
  if (!parsed.success) return [];
  const { workspace_access: access, runtime, skills } = parsed.data;
  const writes = access.enabled && access.allowed_modes.includes('read_write_overlay');
  const reaches =
    writes || !runtime.egress.deny_internet_by_default || runtime.egress.allow_hosts.length > 0 || runtime.egress.allow_internal_services.length > 0;
  return skills.filter(({ id }) => id !== ON_EMAIL).map((skill) => ({ ...who, reaches, skill }));
}

// A skill that a person names: of their own agents and of public ones that are live.
import type { Knex } from 'knex';
import type { UserActor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { type CallableSkill, skillsOf } from '../../deploys/planner/skills.ts';

/** @throws NotFound agent_not_found, skill_not_found (which says what there is) */
export async function skillOf(db: Knex, user: UserActor, agent: string, skill: string | undefined): Promise<CallableSkill> {
  const row = await agentFor(db, user, 'agent.read', agent);
  const skills = skillsOf(row.card, { agent: row.name, mine: row.owner_id === user.user_id });
  const named = skill === undefined && skills.length === 1 ? skills[0] : skills.find((one) => one.skill.id === skill);
  if (named) return named;
  const known = skills.map((one) => one.skill.id).join(', ');
  if (known === '') throw new NotFound('skill_not_found', `${agent} has no skills that can be called: it is not live`);
  throw new NotFound(
    'skill_not_found',
    skill === undefined ? `${agent} has several skills: say which, @${agent}.<skill>, of ${known}` : `${agent} has no skill ${skill}; it has ${known}`,
  );
}

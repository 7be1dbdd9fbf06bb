// A skill that a person names: of their own agents and of public ones that are live.
import type { Knex } from 'knex';
import type { UserActor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { type FoundSkill, skillsOf } from '../../deploys/planner/skills.ts';

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

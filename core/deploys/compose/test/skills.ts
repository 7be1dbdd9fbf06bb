// Skills as cards describe them, and agents that have them.
import { SkillCard } from '#contract/wire/card.ts';
import type { ResolvedSubAgent } from '../sub-agents.ts';

export const text = { type: 'string' };

/** Arguments are required, but for those whose name begins with may_. */
export function cardSkill(id: string, takes: Record<string, object>, gives: Record<string, object>, more: object = {}): SkillCard {
  const required = Object.keys(takes).filter((name) => !name.startsWith('may_'));
  return SkillCard.parse({
    id,
    name: id,
    description: `Can ${id} things`,
    input_schema: { type: 'object', properties: takes, required },
    output_schema: { type: 'object', properties: gives },
    ...more,
  });
}

export const search = cardSkill(
  'search',
  { question: text, limit: { type: 'integer', minimum: 1 } },
  { text, count: { type: 'integer' } },
  { policy: { idempotent: true } },
);
export const summarize = cardSkill('summarize', { text, style: { enum: ['short', 'long'] } }, { summary: text });

export function foundAgent(agent: string, skills: readonly SkillCard[]): ResolvedSubAgent {
  return { agent, version: '1.0.0', description: `The ${agent}'s`, skills, problem: null };
}

// Which skill a step calls, and with what.
import { ON_EMAIL } from '#contract/wire/mail.ts';
import type { AgentCard } from '#contract/wire/card.ts';
import { invalidArgs, sampleArgs } from '../arguments.ts';
import { NotApplicable, type Play } from './play.ts';

export interface Chosen {
  skill: string;
  args: Record<string, unknown>;
}

interface Wanted {
  skill?: string | undefined;
  args: 'sample' | 'invalid' | Record<string, unknown>;
}

/** @throws NotApplicable */
export async function chooseSkill({ stage, random }: Play, { skill, args }: Wanted): Promise<Chosen> {
  const callable = stage.card.skills.filter(({ id }) => id !== ON_EMAIL);
  if (typeof args === 'object') return { skill: skill ?? someOf(callable, (list) => random.pick(list)).id, args };
  const among = skill === undefined ? random.shuffled(callable) : callable.filter(({ id }) => id === skill);
  if (among.length === 0) throw new NotApplicable(skill === undefined ? 'It has no skill that a caller may call' : `It has no skill ${skill}`);
  for (const one of among) {
    const made = await (args === 'sample' ? sampleArgs : invalidArgs)(stage.userId, one.input_schema, random);
    if (made) return { skill: one.id, args: made };
  }
  throw new NotApplicable('The schemas of its skills take any arguments: none are wrong');
}

function someOf(skills: AgentCard['skills'], pick: Play['random']['pick']): AgentCard['skills'][number] {
  const one = pick(skills);
  if (!one) throw new NotApplicable('It has no skill that a caller may call');
  return one;
}

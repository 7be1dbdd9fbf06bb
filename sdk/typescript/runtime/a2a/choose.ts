// A message that names no skill: its run asks for one, by form, and continues as the chosen skill.
import { z } from 'zod';
import { SkillCard, type AgentCard } from '../../../../contract/wire/card.ts';
import type { Principal } from '../../authoring/auth.ts';
import type { BoundSkill } from '../../authoring/declare.ts';
import { SkillNotFound } from '../../authoring/errors.ts';
import { skill } from '../../authoring/skill.ts';
import type { Executor, Prepared } from '../executor.ts';
import { checkForm } from '../form.ts';
import { offered, soleText, type Open } from './message.ts';

/** As the platform names the run of such a message. */
const NAME = 'message';
const ASK_SECONDS = 3600;

export function choosing(executor: Executor, card: AgentCard, { said }: Open, auth: Principal): Prepared {
  const handler = skill({}, async (ctx) => {
    const ask: Ask = (prompt, schema) => ctx.ask(prompt, ASK_SECONDS, { schema });
    const chosen = await chosenOf(card, ask);
    return await executor.continueAs(ctx, await executor.prepare(chosen.id, await argumentsFor(chosen, said, ask), auth));
  });
  const bound: BoundSkill = { id: NAME, field: NAME, card: CARD, skill: handler, input: z.object({}), output: undefined };
  return { bound, auth, args: {} };
}

const CARD = SkillCard.parse({ id: NAME, name: NAME, input_schema: {}, output_schema: {} });

type Ask = (prompt: string, schema: Readonly<Record<string, unknown>>) => Promise<string>;

async function chosenOf(card: AgentCard, ask: Ask): Promise<SkillCard> {
  const skills = offered(card);
  const [only] = skills;
  if (only && skills.length === 1) return only;
  const answer = z.object({ skill: z.string() }).parse(JSON.parse(await ask(`Which skill is this for?\n${skills.map(lineOf).join('\n')}`, choice(skills))));
  const chosenSkill = skills.find(({ id }) => id === answer.skill);
  if (!chosenSkill)
    throw new SkillNotFound(
      answer.skill,
      skills.map(({ id }) => id),
    );
  return chosenSkill;
}

async function argumentsFor({ id, input_schema: schema }: SkillCard, said: Open['said'], ask: Ask): Promise<unknown> {
  if ('args' in said) return said.args;
  const name = soleText(schema);
  if (name !== undefined) return { [name]: said.text };
  if (Object.keys(schema['properties'] ?? {}).length === 0) return {};
  return JSON.parse(await ask(`What are the arguments of ${id}?`, formOf(schema))) as unknown;
}

/**
 * A schema no form can be made of is asked for as any object; the skill's own model refuses what does not
 * fit.
 */
function formOf(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  try {
    checkForm(schema);
    return schema;
  } catch {
    return { type: 'object' };
  }
}

function choice(skills: readonly SkillCard[]): Readonly<Record<string, unknown>> {
  return { type: 'object', properties: { skill: { type: 'string', title: 'Skill', enum: skills.map(({ id }) => id) } }, required: ['skill'] };
}

function lineOf({ id, description }: SkillCard): string {
  return description === '' ? `- ${id}` : `- ${id}: ${description}`;
}

// What each step takes from where: a default of the manifest, the result of another step, or an argument of
// the composed skill.
import type { SubAgentIn } from '#contract/deploys/compose.ts';
import type { SkillCard } from '#contract/wire/card.ts';
import { Invalid } from '../../kernel/errors.ts';
import { schemaWork } from '../../kernel/schema-work/ask.ts';
import { inputsNeeded, type Step, stepsNeeded } from '../composed/project/steps.ts';
import type { ResolvedSubAgent } from './sub-agents.ts';

type Schema = Readonly<Record<string, unknown>>;

export interface WiredStep extends Step {
  about: string;
  /** Position in the manifest. */
  subAgent: number;
}

export interface Wired {
  steps: WiredStep[];
  /** JSON Schemas of the arguments of the composed skill, by name. */
  inputs: Map<string, Schema>;
}

interface Part {
  step: WiredStep;
  card: SkillCard;
}

/** `at`: path of the composition in the request. @throws Invalid, with every default that fits nowhere */
export async function wire(found: readonly ResolvedSubAgent[], wanted: readonly SubAgentIn[], at: readonly string[]): Promise<Wired> {
  const parts = partsOf(found, wanted);
  const inputs = new Map<string, Schema>();
  const issues: Invalid['issues'] = unusedDefaults(parts, wanted, at);
  for (const [n, { step, card }] of parts.entries()) {
    const path = [...at, 'sub_agents', step.subAgent, 'default_args'];
    const properties = propertiesOf(card.input_schema);
    const args: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(wanted[step.subAgent]?.default_args ?? {})) {
      const schema = properties.get(name);
      if (!schema) continue;
      args[name] = value;
      const problem = await problemOf(value, schema, { step, parts });
      if (problem !== undefined) issues.push({ path: [...path, name], message: problem });
      for (const input of inputsNeeded(value)) if (!inputs.has(input)) inputs.set(input, value === `$input.${input}` ? schema : {});
    }
    for (const name of requiredOf(card.input_schema)) {
      if (Object.hasOwn(args, name)) continue;
      const schema = properties.get(name) ?? {};
      const giver = parts.slice(0, n).findLast((part) => gives(part.card, name, schema));
      args[name] = giver ? `$${giver.step.id}.${name}` : `$input.${inputFor(inputs, name, schema, step)}`;
    }
    Object.assign(step.args, args);
  }
  const circle = circleIn(parts.map(({ step }) => step));
  if (circle) issues.push({ path: [...at, 'sub_agents', circle.subAgent, 'default_args'], message: `${circle.id} takes, over others, its own result` });
  if (issues.length > 0) throw new Invalid(issues);
  return { steps: parts.map(({ step }) => step), inputs };
}

function partsOf(found: readonly ResolvedSubAgent[], wanted: readonly SubAgentIn[]): Part[] {
  const taken = new Map<string, number>();
  return found.flatMap(({ agent, description, skills }, subAgent) =>
    agent === null
      ? []
      : skills.map((card): Part => {
          const id = `${agent}.${card.id}`;
          const times = (taken.get(id) ?? 0) + 1;
          taken.set(id, times);
          const step: WiredStep = {
            id: times === 1 ? id : `${id}_${times}`,
            agent,
            skill: card.id,
            args: {},
            required: wanted[subAgent]?.required ?? true,
            repeatable: card.policy.idempotent,
            about: `${card.description} ${description}`.trim(),
            subAgent,
          };
          return { step, card };
        }),
  );
}

function unusedDefaults(parts: readonly Part[], wanted: readonly SubAgentIn[], at: readonly string[]): Invalid['issues'] {
  return wanted.flatMap(({ default_args }, n) => {
    const of = parts.filter(({ step }) => step.subAgent === n);
    const known = new Set(of.flatMap(({ card }) => [...propertiesOf(card.input_schema).keys()]));
    const unknown = of.length === 0 ? [] : Object.keys(default_args).filter((name) => !known.has(name));
    return unknown.map((name) => ({
      path: [...at, 'sub_agents', n, 'default_args', name],
      message: `none of its skills has this argument; there are ${[...known].join(', ') || 'none'}`,
    }));
  });
}

/**
 * What is wrong with a default; its references are looked at by what they name, everything else by the
 * schema.
 */
async function problemOf(value: unknown, schema: Schema, { step, parts }: { step: WiredStep; parts: readonly Part[] }): Promise<string | undefined> {
  const needed = stepsNeeded(value);
  const known = parts.map((part) => part.step.id);
  const unknown = needed.find((id) => !known.includes(id));
  if (unknown !== undefined) return `there is no step ${unknown}; there are ${known.join(', ')}`;
  if (needed.includes(step.id)) return `${step.id} cannot take its own result`;
  if (needed.length > 0 || inputsNeeded(value).length > 0) return undefined;
  if (hasReference(schema)) return undefined;
  const checked = (await schemaWork(step.agent, 'check', { schema, value }))?.value;
  return checked && 'issues' in checked ? checked.issues.map(({ path, message }) => [...path, message].join(': ')).join('; ') : undefined;
}

/**
 * An argument of the composed skill: of the same name, unless another step has an argument of that name that
 * is something else.
 */
function inputFor(inputs: Map<string, Schema>, name: string, schema: Schema, step: WiredStep): string {
  const candidates = [name, `${step.skill}_${name}`, `${step.id.replaceAll(/[^A-Za-z0-9_]/g, '_')}_${name}`];
  const free = candidates.find((one) => !inputs.has(one) || same(inputs.get(one), schema)) ?? candidates[2] ?? name;
  if (!inputs.has(free)) inputs.set(free, schema);
  return free;
}

/** Required arguments that results of the skills before it can be, by name and type. */
export function givenTo({ input_schema }: SkillCard, before: readonly SkillCard[]): Record<string, unknown> {
  const properties = propertiesOf(input_schema);
  const given = requiredOf(input_schema).filter((name) => before.some((card) => gives(card, name, properties.get(name) ?? {})));
  return Object.fromEntries(given.map((name) => [name, true]));
}

function gives({ output_schema }: SkillCard, name: string, schema: Schema): boolean {
  const given = propertiesOf(output_schema).get(name);
  return given !== undefined && given['type'] !== undefined && same(given['type'], schema['type']);
}

/** The first step that needs itself. */
function circleIn(steps: readonly WiredStep[]): WiredStep | undefined {
  const needs = new Map(steps.map((step) => [step.id, stepsNeeded(step.args)]));
  const reaches = (from: string, to: string, seen: Set<string>): boolean =>
    (needs.get(from) ?? []).some((id) => id === to || (!seen.has(id) && reaches(id, to, seen.add(id))));
  return steps.find(({ id }) => reaches(id, id, new Set()));
}

function propertiesOf(schema: Schema): Map<string, Schema> {
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null) return new Map();
  return new Map(Object.entries(properties).map(([name, of]) => [name, typeof of === 'object' && of !== null ? { ...of } : {}]));
}

function requiredOf({ required }: Schema): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** It stands for more than itself: its agent checks the value. */
const hasReference = (schema: Schema): boolean => JSON.stringify(schema).includes('"$ref"');

/** False also of one that takes too long. @param author who composes */
export async function isReadable(author: string, schema: Schema): Promise<boolean> {
  if (hasReference(schema)) return false;
  const read = await schemaWork(author, 'check', { schema, value: null });
  return read !== undefined && !('unreadable' in read.value);
}

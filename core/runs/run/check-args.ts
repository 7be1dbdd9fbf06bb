// Checks the arguments of a call in the background against the card before the call is accepted, while its sender can still correct them.
import { issuesOf, type JsonSchema, modelOf } from '#contract/wire/arguments.ts';
import { createGuard } from '../../kernel/bounded.ts';
import { Invalid, NotFound } from '../../kernel/errors.ts';

export interface ArgsIssue {
  path: (string | number)[];
  message: string;
}

/** A card's author is not believed: a schema that takes longer is left to its agent for a while, which checks everything itself. */
const guard = createGuard();

/** Empty: they fit, or they cannot be checked here. @param name of agent and skill: `greeter.greet` */
export function argsIssues(name: string, schema: JsonSchema, args: Record<string, unknown>): ArgsIssue[] {
  const checked = guard(name, () => {
    const model = readable(schema);
    const result = model?.safeParse(args);
    return result === undefined || result.success ? [] : issuesOf(result.error.issues).map(({ path, message }) => ({ path, message }));
  });
  return checked?.value ?? [];
}

function readable(schema: JsonSchema): ReturnType<typeof modelOf> | undefined {
  try {
    return modelOf(schema);
  } catch {
    return undefined;
  }
}

export interface CheckedCall {
  agent: string;
  /** Of its live deployment. */
  card: unknown;
  skill: string;
  args: Record<string, unknown>;
  /** Where in the request the arguments stand: `body.args`. */
  at: readonly string[];
}

/** @throws NotFound skill_not_found; Invalid with the place of each mistake */
export function checkArgs({ agent, card, skill, args, at }: CheckedCall): void {
  const skills = skillsIn(card);
  const found = skills.find(({ id }) => id === skill);
  if (!found && skills.length > 0) {
    const known = skills.slice(0, 20).map(({ id }) => id);
    throw new NotFound('skill_not_found', `${agent} has no skill ${skill}; it has ${known.join(', ')}`);
  }
  const issues = found ? argsIssues(`${agent}.${skill}`, found.schema, args) : [];
  if (issues.length > 0) throw new Invalid(issues.map(({ path, message }) => ({ path: [...at, ...path], message })));
}

function skillsIn(card: unknown): { id: string; schema: JsonSchema }[] {
  if (!isObject(card) || !Array.isArray(card['skills'])) return [];
  return card['skills'].flatMap((skill: unknown) => {
    if (!isObject(skill) || typeof skill['id'] !== 'string') return [];
    const schema = skill['input_schema'];
    return [{ id: skill['id'], schema: isObject(schema) ? schema : {} }];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

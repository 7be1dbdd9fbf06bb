// Checks the arguments of a call in the background against the card before the call is accepted, while its
// sender can still correct them.
import type { JsonSchema } from '#contract/wire/arguments.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { Invalid, NotFound } from '../../kernel/errors.ts';
import { isQuick, schemaWork } from '../../kernel/schema-work/ask.ts';
import type { ArgsIssue } from '../../kernel/schema-work/issues-in.ts';

/**
 * Empty: they fit, or they cannot be checked here. @param author whose card it is: the account, or the name
 * of the agent; never who calls it
 */
export async function argsIssuesApart(author: string, schema: JsonSchema, args: Record<string, unknown>): Promise<ArgsIssue[]> {
  return (await schemaWork(author, 'issues', { schema, args }))?.value ?? [];
}

export interface CheckedCall {
  agent: string;
  /** Who owns the agent. */
  author: string;
  /** Of its live deployment. */
  card: unknown;
  skill: string;
  args: Record<string, unknown>;
  /** Where in the request the arguments stand: `body.args`. */
  at: readonly string[];
  /** What is wrong with them, where it is known already. */
  ahead?: readonly ArgsIssue[] | undefined;
}

/** @throws NotFound skill_not_found; Invalid with the place of each mistake */
export async function checkArgs({ agent, author, card, skill, args, at, ahead }: CheckedCall): Promise<void> {
  const skills = skillsIn(card);
  const declaredSkill = skills.find(({ id }) => id === skill);
  if (!declaredSkill && skills.length > 0) {
    const known = skills.slice(0, 20).map(({ id }) => id);
    throw new NotFound('skill_not_found', `${agent} has no skill ${skill}; it has ${known.join(', ')}`);
  }
  const issues = ahead ?? (declaredSkill ? await argsIssuesApart(author, declaredSkill.schema, args) : []);
  if (issues.length > 0) throw new Invalid(issues.map(({ path, message }) => ({ path: [...at, ...path], message })));
}

/**
 * Found before a transaction begins: a slow schema, and those that its author has in the queue, would hold
 * the transaction's connection.
 */
export interface AheadIssues {
  /** Whose card it was. */
  deployId: string;
  issues: readonly ArgsIssue[];
}

/**
 * Undefined: nothing was read, since it takes no time, or there is nothing. Who may call the agent is asked
 * later.
 */
export async function issuesAhead(route: AgentRoute | undefined, skill: string, args: Record<string, unknown>): Promise<AheadIssues | undefined> {
  const schema = route && skillsIn(route.card).find(({ id }) => id === skill)?.schema;
  if (!route || !schema || isQuick({ schema, args })) return undefined;
  return { deployId: route.deployId, issues: await argsIssuesApart(route.ownerId, schema, args) };
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

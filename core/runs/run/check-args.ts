// Checks the arguments of a call in the background against the card before the call is accepted, while its sender can still correct them.
import { Worker } from 'node:worker_threads';
import type { JsonSchema } from '#contract/wire/arguments.ts';
import { createGuard, LIMIT_MS } from '../../kernel/bounded.ts';
import { Invalid, NotFound } from '../../kernel/errors.ts';
import { fairThreads } from '../../kernel/fair-threads.ts';
import type { TaskAnswer } from '../../kernel/task-thread.ts';
import { type ArgsIssue, issuesIn } from './issues-in.ts';

export interface Task {
  schema: JsonSchema;
  args: Record<string, unknown>;
}
export type Answer = TaskAnswer<{ issues: ArgsIssue[] }>;

/** A card's author is not believed: a schema that takes longer is left to its agent, which checks everything itself. */
const threads = fairThreads<Task, { issues: ArgsIssue[] }>(
  'The thread that checks arguments',
  () => new Worker(new URL('./check-thread.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: 256 }, env: {}, stdout: false }),
  { threads: 2, pieceMs: LIMIT_MS, endedOfAccount: 4, windowMs: 600_000, waitingOfAccount: 500 },
);
export const checkCounts = threads.counts;

/** What can take more than linear time, and what is large, is read in a thread; most schemas are neither. */
const MAX_HERE = 16_384;
const SLOW = /"(?:pattern|patternProperties|\$ref|\$dynamicRef|\$recursiveRef|anyOf|oneOf|allOf|uniqueItems|format)":/;

/** Empty: they fit, or they cannot be checked here. @param author whose card it is: the account, or the name of the agent; never who calls it */
export async function argsIssuesApart(author: string, schema: JsonSchema, args: Record<string, unknown>): Promise<ArgsIssue[]> {
  const text = JSON.stringify(schema);
  if (text.length <= MAX_HERE && !SLOW.test(text) && JSON.stringify(args).length <= MAX_HERE) return issuesIn(schema, args);
  return (await threads.ask(author, { schema, args }).catch(() => undefined))?.issues ?? [];
}

const guard = createGuard();

/** For readers that have no account to wait for: rehearsals and proofs, in the worker. @param name of agent and skill: `greeter.greet` */
export function argsIssues(name: string, schema: JsonSchema, args: Record<string, unknown>): ArgsIssue[] {
  return guard(name, () => issuesIn(schema, args))?.value ?? [];
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
}

/** @throws NotFound skill_not_found; Invalid with the place of each mistake */
export async function checkArgs({ agent, author, card, skill, args, at }: CheckedCall): Promise<void> {
  const skills = skillsIn(card);
  const found = skills.find(({ id }) => id === skill);
  if (!found && skills.length > 0) {
    const known = skills.slice(0, 20).map(({ id }) => id);
    throw new NotFound('skill_not_found', `${agent} has no skill ${skill}; it has ${known.join(', ')}`);
  }
  const issues = found ? await argsIssuesApart(author, found.schema, args) : [];
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

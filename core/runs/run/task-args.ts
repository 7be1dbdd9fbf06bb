// The arguments of a skill for a task in words: inputs by their names; the goal, the files and what came
// before in the arguments that are made for them.
import { atPointer } from '#contract/wire/json-pointer.ts';

type Schema = Record<string, unknown>;

export interface Task {
  goal: string;
  /** Patterns of files that it may read. */
  files: readonly string[];
  inputs: Record<string, unknown>;
  /** Results of the steps before. */
  before?: readonly { step: string; result: unknown }[] | undefined;
}

/** Arguments whose names say what they take, the first that is there. */
const FOR_THE_GOAL = ['goal', 'task', 'instructions', 'prompt', 'question', 'query', 'message', 'text', 'input'];
const FOR_THE_FILES = ['files', 'paths', 'input_paths'];
const FOR_WHAT_CAME_BEFORE = ['results', 'before', 'context', 'sources', 'material', 'documents', 'drafts', 'findings', 'candidates', 'items', 'previous'];
const MAX_TEXT_LENGTH = 20_000;

/**
 * Whether they fit is said where the run begins, with the place of each mistake. `map`: JSON Pointers into
 * the task, in the place of names.
 */
export function taskArgs(schema: Schema, task: Task, map?: Record<string, string>): Schema {
  const known = { goal: task.goal, files: task.files, inputs: task.inputs, before: task.before ?? [] };
  if (map) return Object.fromEntries(Object.entries(map).flatMap(([name, from]) => given(name, atPointer(known, from))));
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  // Where nothing is said of others, a skill may refuse them.
  const open = Object.keys(properties).length === 0 || schema['additionalProperties'] === true || isRecord(schema['additionalProperties']);
  const args = Object.fromEntries(Object.entries(task.inputs).filter(([name]) => open || Object.hasOwn(properties, name)));
  const free = (names: readonly string[], types: readonly string[]): string | undefined =>
    names.find((name) => !Object.hasOwn(args, name) && Object.hasOwn(properties, name) && types.some((type) => takes(properties[name], type)));
  const before = task.before ?? [];
  const place = before.length === 0 ? undefined : free(FOR_WHAT_CAME_BEFORE, ['array', 'object', 'string']);
  if (place !== undefined) args[place] = shaped(properties[place], before);
  const goal = free(FOR_THE_GOAL, ['string']);
  // Without an argument for results, they are written into the goal.
  if (goal !== undefined) args[goal] = before.length > 0 && place === undefined ? `${task.goal}\n\nResults of earlier steps:\n${asText(before)}` : task.goal;
  const files = task.files.length === 0 ? undefined : free(FOR_THE_FILES, ['array']);
  if (files !== undefined) args[files] = [...task.files];
  return args;
}

type Before = NonNullable<Task['before']>;

function shaped(member: unknown, before: Before): unknown {
  if (takes(member, 'array')) return before.map(({ result }) => (takesTexts(member) && typeof result !== 'string' ? JSON.stringify(result) : result));
  return takes(member, 'object') ? Object.fromEntries(before.map(({ step, result }) => [step, result])) : asText(before);
}

const asText = (before: Before): string => before.map(({ step, result }) => `${step}: ${typeof result === 'string' ? result : JSON.stringify(result)}`).join('\n').slice(0, MAX_TEXT_LENGTH); // prettier-ignore
const given = (name: string, value: unknown): [string, unknown][] => (value === undefined ? [] : [[name, value]]);
const takes = (member: unknown, type: string): boolean =>
  isRecord(member) && (member['type'] === type || (Array.isArray(member['type']) && member['type'].includes(type)));
const takesTexts = (member: unknown): boolean => isRecord(member) && takes(member['items'], 'string');
const isRecord = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

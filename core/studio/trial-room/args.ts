// The arguments of a contestant for a case. By its map; else the inputs by their names, and the goal and the files in the arguments that are made for them.
import { valueAt } from '#contract/runs/score.ts';
import type { TrialCase } from '#contract/studio/trial-rooms.ts';
import type { RoomSpec } from './row.ts';

type Schema = Record<string, unknown>;

/** Arguments whose names say that they take a task in words, the first that is there. */
const FOR_THE_GOAL = ['goal', 'task', 'instructions', 'prompt', 'question', 'query', 'message', 'text', 'input'];
const FOR_THE_FILES = ['files', 'paths', 'input_paths'];

/** Whether they fit is said where the run begins, with the place of each mistake. */
export function argsOf(schema: Schema, spec: Pick<RoomSpec, 'goal' | 'input_paths'>, of: Pick<TrialCase, 'inputs'>, map?: Record<string, string>): Schema {
  const known = { goal: spec.goal, files: spec.input_paths, inputs: of.inputs };
  if (map) return Object.fromEntries(Object.entries(map).flatMap(([name, from]) => given(name, valueAt(known, from))));
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const open = schema['additionalProperties'] !== false;
  const args = Object.fromEntries(Object.entries(of.inputs).filter(([name]) => open || Object.hasOwn(properties, name)));
  const free = (names: readonly string[], type: string): string | undefined =>
    names.find((name) => !Object.hasOwn(args, name) && Object.hasOwn(properties, name) && typeOf(properties[name]) === type);
  const goal = free(FOR_THE_GOAL, 'string');
  const files = spec.input_paths.length === 0 ? undefined : free(FOR_THE_FILES, 'array');
  return { ...args, ...(goal !== undefined && { [goal]: spec.goal }), ...(files !== undefined && { [files]: spec.input_paths }) };
}

const given = (name: string, value: unknown): [string, unknown][] => (value === undefined ? [] : [[name, value]]);
const typeOf = (member: unknown): unknown => (isRecord(member) ? member['type'] : undefined);
const isRecord = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

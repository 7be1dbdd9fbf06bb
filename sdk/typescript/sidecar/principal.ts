// Principals in the names of the agent's own model: the runtime's resolvers speak TypeScript's case, a model
// snake_case, or its author's.
import { z } from 'zod';
import type { InputModel, JsonSchema } from '../authoring/schema.ts';

/** The model, for principals of either case. */
export function wirePrincipal(model: InputModel, { properties }: JsonSchema): InputModel {
  const names = Object.keys(Object(properties));
  const either = z.preprocess((value) => named(value, names), model);
  return either as unknown as InputModel; // the runtime only parses with it, and a preprocessed model parses alike
}

function named(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const bySnake = new Map(names.map((name) => [snakeCased(name), name]));
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  // What has the very name that the model wants comes last, and so decides.
  const ordered = members.toSorted(([one], [other]) => Number(names.includes(one)) - Number(names.includes(other)));
  return Object.fromEntries(ordered.map(([name, member]) => [names.includes(name) ? name : (bySnake.get(snakeCased(name)) ?? name), member]));
}

const snakeCased = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

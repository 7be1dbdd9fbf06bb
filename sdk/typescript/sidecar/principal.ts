// Principals in the names of the wire: the runtime's resolvers speak TypeScript's case, the models of a card snake_case.
import { z } from 'zod';
import type { InputModel } from '../authoring/schema.ts';

/** The model, for principals of either case. */
export function wirePrincipal(model: InputModel): InputModel {
  const either = z.preprocess(snakeCased, model);
  return either as unknown as InputModel; // the runtime only parses with it, and a preprocessed model parses alike
}

function snakeCased(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), member]);
  return Object.fromEntries(entries);
}

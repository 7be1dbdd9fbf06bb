// Checks the inputs of a brief against what a recipe is filled from. All mistakes are reported at once, each
// at its place.
import type { z } from 'zod';
import { Invalid } from '../../kernel/errors.ts';
import type { Recipe } from './recipe.ts';

/**
 * As the recipe reads them, with defaults. Inputs that it does not know are for other recipes, and are left
 * out. @throws Invalid
 */
export function inputsFor(recipe: Pick<Recipe, 'inputs'>, inputs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return parsedInputs(recipe.inputs, inputs);
}

/** Inputs without which it cannot be filled. */
export function needsOf(recipe: Pick<Recipe, 'inputs'>): string[] {
  return missingFor(recipe, {});
}

/** Inputs that it lacks, or cannot read. */
export function missingFor(recipe: Pick<Recipe, 'inputs'>, inputs: Readonly<Record<string, unknown>>): string[] {
  const issues = recipe.inputs.safeParse(inputs).error?.issues ?? [];
  return [...new Set(issues.map(({ path }) => String(path[0] ?? 'inputs')))];
}

/** As inputsFor, with the type of the schema. @throws Invalid */
export function parsedInputs<S extends z.ZodObject>(schema: S, inputs: Readonly<Record<string, unknown>>): z.output<S> {
  const parsed = schema.safeParse(inputs);
  if (parsed.success) return parsed.data;
  throw new Invalid(
    parsed.error.issues.map(({ path, code, message }) => {
      const [name] = path;
      const missing = code === 'invalid_type' && path.length === 1 && typeof name === 'string' && inputs[name] === undefined;
      return { path: ['body', 'inputs', ...path.map(stepOf)], message: missing ? `is missing: ${descriptionOf(schema, name)}` : message };
    }),
  );
}

/** @throws Invalid */
export function refuseInput(path: readonly (string | number)[], message: string): never {
  throw new Invalid([{ path: ['body', 'inputs', ...path], message }]);
}

function descriptionOf(schema: z.ZodObject, name: string): string {
  const field: unknown = Reflect.get(schema.shape, name);
  const description: unknown = typeof field === 'object' && field !== null ? Reflect.get(field, 'description') : undefined;
  return typeof description === 'string' ? description : 'give it';
}

const stepOf = (step: PropertyKey): string | number => (typeof step === 'symbol' ? String(step) : step);

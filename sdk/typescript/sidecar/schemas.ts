// The models of a card, made from its JSON Schemas: what a TypeScript agent has in zod, an agent in another
// language has only there.
import { z } from 'zod';
import { modelOf } from '../../../contract/wire/arguments.ts';
import type { SkillCard } from '../../../contract/wire/card.ts';
import { NoAuth } from '../authoring/auth.ts';
import type { InputModel, JsonSchema, OutputModel } from '../authoring/schema.ts';
import { WorkerFailed } from './errors.ts';

/** Closed, as the TypeScript agent's. @throws WorkerFailed */
export function inputModel(card: SkillCard): InputModel {
  const model = convert(card.input_schema, `the input schema of "${card.id}"`);
  if (!(model instanceof z.ZodObject)) throw new WorkerFailed(`the input schema of "${card.id}" must be of type "object"`);
  return model.strict();
}

/** Undefined where the card allows anything. */
export function outputModel(card: SkillCard): OutputModel | undefined {
  if (Object.keys(card.output_schema).length === 0) return undefined;
  return convert(card.output_schema, `the output schema of "${card.id}"`);
}

/** {} is NoAuth. */
export function authModel(schema: JsonSchema): InputModel {
  if (Object.keys(schema).length === 0) return NoAuth;
  const model = convert(schema, 'the auth model');
  if (!(model instanceof z.ZodObject)) throw new WorkerFailed('the auth model must be of type "object"');
  return model;
}

// What zod cannot say is left to the worker, which checks everything again; the rest stays enforced here.
function convert(schema: JsonSchema, what: string): z.ZodType {
  try {
    return modelOf(schema);
  } catch (error) {
    throw new WorkerFailed(`${what} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  }
}

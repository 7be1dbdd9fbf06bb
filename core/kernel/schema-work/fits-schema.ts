// Whether a value fits a schema of an account, where what is wrong with it does not matter.
import type { JsonSchema } from '#contract/wire/arguments.ts';
import { schemaWork } from './ask.ts';

/** False also where the schema cannot be read or takes too long. @param author whose schema it is */
export async function fitsSchema(author: string, schema: JsonSchema, value: unknown): Promise<boolean> {
  const run = { outcome: { result: value }, latencyMs: 0, costMicros: null };
  return (await schemaWork(author, 'score', { check: { kind: 'schema', schema }, run }))?.value?.passed === true;
}

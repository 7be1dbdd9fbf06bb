// @cedar-policy/cedar-wasm 4.13.0: the engine of Cedar's authors, so that a rule means here what it means
// elsewhere. Its WebAssembly has one stack; after a trap an instance answers nothing more, so a fresh one
// takes its place.
import { createRequire } from 'node:module';
import type * as Cedar from '@cedar-policy/cedar-wasm/nodejs';
import { CEDAR_SCHEMA } from './schema.ts';

export type CedarModule = typeof Cedar;

/** Of the schema, as prepared in each instance. */
export const SCHEMA = 'svc';
const PACKAGE = '@cedar-policy/cedar-wasm/nodejs';
const require = createRequire(import.meta.url);

/** An instance of its own: some 20 MiB, in 50 ms. @throws where the schema does not parse */
export function loadCedar(): CedarModule {
  Reflect.deleteProperty(require.cache, require.resolve(PACKAGE));
  // Safe: the package's own types.
  const cedar = require(PACKAGE) as CedarModule;
  const prepared = cedar.preparseSchema(SCHEMA, CEDAR_SCHEMA);
  if (prepared.type === 'failure') throw new Error(`Cedar does not take the schema: ${prepared.errors.map(({ message }) => message).join('; ')}`);
  return cedar;
}

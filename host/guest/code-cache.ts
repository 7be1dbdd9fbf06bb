// The SDK's compiled form lies beside it in the layer (`<file>.v8`): reading it takes a fraction of compiling
// a megabyte of source, which costs seconds under emulation. V8 itself refuses a cache of another version or
// source; then the source is compiled as ever.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';
import { codeCacheOf } from '../build/guest/plan.ts';

/** How a CommonJS module is called by its loader. */
type Wrapped = (exports: unknown, require: NodeJS.Require, module: NodeJS.Module, filename: string, dirname: string) => void;

/**
 * Loads a module of CommonJS by its code cache, where it has one; later requires get the same. True when the
 * cache was used.
 */
export function loadByCache(file: string): boolean {
  const cache = codeCacheOf(file);
  if (!existsSync(cache)) return false;
  const script = new Script(Module.wrap(readFileSync(file, 'utf8')), { filename: file, cachedData: readFileSync(cache) });
  if (script.cachedDataRejected === true) return false;
  const require = createRequire(file);
  const module = new Module(file);
  Object.assign(module, { filename: file, paths: [] });
  require.cache[file] = module;
  try {
    wrapped(script.runInThisContext())(module.exports, require, module, file, dirname(file));
    module.loaded = true;
    return true;
  } catch (error) {
    delete require.cache[file];
    throw error;
  }
}

/** Safe: Module.wrap makes a function of these parameters of any source. */
const wrapped = (value: unknown): Wrapped => value as Wrapped;

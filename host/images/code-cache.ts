// Makes the code cache of a bundle (see ../guest/code-cache.ts) with the very Node that guests run, after it has run once: functions that its
// start needs are in it.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { codeCacheOf } from '../build/guest/plan.ts';
import { packedNode } from '../microvm/images/packed.ts';

const program = `
const { readFileSync, writeFileSync } = require('node:fs');
const { createRequire, Module } = require('node:module');
const { Script } = require('node:vm');
const [, file, cache] = process.argv;
const script = new Script(Module.wrap(readFileSync(file, 'utf8')), { filename: file });
const module_ = new Module(file);
script.runInThisContext()(module_.exports, createRequire(file), module_, file, require('node:path').dirname(file));
writeFileSync(cache, script.createCachedData());
process.exit(0);
`;

/** Writes codeCacheOf(file). */
export async function makeCodeCache(file: string): Promise<void> {
  await promisify(execFile)(packedNode().path, ['--disable-warning=ExperimentalWarning', '-e', program, file, codeCacheOf(file)]);
}

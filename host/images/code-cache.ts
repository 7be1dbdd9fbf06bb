// Makes the code cache of a bundle (see ../guest/code-cache.ts) with the very Node that guests run, after it
// has run once: V8 puts in what was compiled by then. So an example agent is started and called, where the
// bundle can: its functions are those that every agent's start needs.
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
const { Agent, skill, startAgent, z } = module_.exports;
class Example extends (Agent ?? Object) {
  name = 'example';
  description = '';
  version = '1.0.0';
  greet = skill({ description: '', input: z.object({ name: z.string() }), output: z.object({ text: z.string() }) }, async (_ctx, { name }) => ({ text: name }));
}
async function runExample() {
  const { server, shutdown } = await startAgent(Example, { apiKey: 'key', onLog: () => undefined, listen: { host: '127.0.0.1', port: 0 } });
  const at = 'http://127.0.0.1:' + server.address().port;
  const headers = { authorization: 'Bearer key', 'content-type': 'application/json' };
  for (const path of ['/healthz', '/.well-known/agent-card']) await (await fetch(at + path, { headers })).text();
  const called = await fetch(at + '/invoke/greet', { method: 'POST', headers, body: JSON.stringify({ name: 'Ada' }) });
  if ((await called.json()).text !== 'Ada') throw new Error('the example did not answer');
  await shutdown();
}
(Agent ? runExample() : Promise.resolve()).then(() => {
  writeFileSync(cache, script.createCachedData());
  process.exit(0);
});
`;

/** Writes codeCacheOf(file). */
export async function makeCodeCache(file: string): Promise<void> {
  await promisify(execFile)(packedNode().path, ['--disable-warning=ExperimentalWarning', '-e', program, file, codeCacheOf(file)]);
}

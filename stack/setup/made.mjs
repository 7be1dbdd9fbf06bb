// What a program of ours makes in the cache and later steps need: guests' images, and what only tests need.
// Known by the hash of what it is made of. starts: stack/setup/make-images.ts stack/setup/make-dashboard.ts
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dashboardSources } from './dashboard.mjs';
import { cacheFolder, repository } from './folders.mjs';
import { withGo } from './go.mjs';
import { node24 } from './npm.mjs';
import { runProgram } from './programs.mjs';
import { sourceHash } from './source-hash.mjs';

/** The images that agents' machines boot from. */
export function imagesStep(env, state, after) {
  const sources = ['host', 'drivers/runtime', 'sdk/typescript', 'sdk/python', 'contract', 'package-lock.json'];
  return madeStep(env, state, { name: 'guest images', note: 'images', program: 'stack/setup/make-images.ts', sources, after });
}

/** The pages that the API serves to people. */
export function dashboardStep(env, state, after) {
  return madeStep(env, state, { name: 'dashboard', note: 'dashboard', program: 'stack/setup/make-dashboard.ts', sources: dashboardSources, after });
}

/**
 * Programs and packages that only tests use: an S3 server, an image registry, the Python SDK in an
 * environment of its own.
 */
export function testToolsStep(env, state, after) {
  const sources = ['test/support', 'host/sandbox/test', 'sdk/python/pyproject.toml'];
  return madeStep(env, state, { name: 'test tools', note: 'test-tools', program: 'test/support/make-tools.ts', sources, after });
}

/** `program` prints its progress line by line; its last line is JSON that names the files it made. */
function madeStep(env, state, { name, note: noteName, program, sources, after }) {
  const cache = cacheFolder(env);
  const note = join(state, 'setup', `${noteName}.json`);
  const inputsNow = () => sourceHash(sources.map((path) => join(repository, path)));
  return {
    name,
    after,
    lock: `${noteName} ${cache}`,
    isDone: () => isMade(note, inputsNow),
    run: async ({ report, signal }) => {
      const inputs = inputsNow();
      mkdirSync(join(state, 'setup'), { recursive: true });
      let files = [];
      const onLine = (line) => {
        if (line.startsWith('{')) files = JSON.parse(line).files;
        else report(line);
      };
      await runProgram(node24, ['--disable-warning=ExperimentalWarning', join(repository, program)], {
        cwd: repository,
        env: { ...withGo(env, cache), SVC_CACHE_DIR: cache },
        signal,
        onLine,
      });
      writeFileSync(`${note}.new`, JSON.stringify({ inputs, files }));
      renameSync(`${note}.new`, note);
    },
  };
}

/** The note is of these very inputs, and what it names is still there. */
function isMade(note, inputsNow) {
  if (!existsSync(note)) return false;
  try {
    const { inputs, files } = JSON.parse(readFileSync(note, 'utf8'));
    return files.every((file) => existsSync(file)) && inputs === inputsNow();
  } catch {
    return false;
  }
}

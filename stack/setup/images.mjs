// The images that agents' machines boot from; made by drivers/microvm under Node 24, known by the hash of what they are made of.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, repository } from './folders.mjs';
import { node24 } from './npm.mjs';
import { runProgram } from './programs.mjs';
import { sourceHash } from './source-hash.mjs';

const sources = ['drivers/microvm', 'drivers/runtime', 'sdk/typescript', 'sdk/python', 'contract/wire', 'package-lock.json'].map((path) =>
  join(repository, path),
);

export function imagesStep(env, state, after) {
  const program = join(repository, 'stack', 'setup', 'make-images.ts');
  const note = join(state, 'setup', 'images.json');
  return {
    name: 'guest images',
    after,
    lock: `images ${cacheFolder(env)}`,
    isDone: () => isMade(note),
    run: async ({ report, signal }) => {
      const inputs = sourceHash(sources);
      mkdirSync(join(state, 'setup'), { recursive: true });
      let files = [];
      const onLine = (line) => {
        if (line.startsWith('{')) files = JSON.parse(line).files;
        else report(line);
      };
      await runProgram(node24, ['--disable-warning=ExperimentalWarning', program], {
        cwd: repository,
        env: { ...env, SVC_CACHE_DIR: cacheFolder(env) },
        signal,
        onLine,
      });
      writeFileSync(`${note}.new`, JSON.stringify({ inputs, files }));
      renameSync(`${note}.new`, note);
    },
  };
}

/** The note is of these very inputs, and what it names is still there. */
function isMade(note) {
  if (!existsSync(note)) return false;
  try {
    const { inputs, files } = JSON.parse(readFileSync(note, 'utf8'));
    return inputs === sourceHash(sources) && files.every((file) => existsSync(file));
  } catch {
    return false;
  }
}

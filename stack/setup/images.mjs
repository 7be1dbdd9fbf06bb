// The images that agents' machines boot from; made by drivers/microvm under Node 24, known by the hash of what they are made of.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, repository } from './folders.mjs';
import { node24 } from './npm.mjs';
import { runProgram } from './programs.mjs';

const sources = ['drivers/microvm', 'drivers/runtime', 'sdk/typescript', 'contract/wire', 'package-lock.json'];

export function imagesStep(env, state, after) {
  const program = join(repository, 'stack', 'setup', 'make-images.ts');
  const note = join(state, 'setup', 'images.json');
  return {
    name: 'guest images',
    after,
    lock: `images ${cacheFolder(env)}`,
    isDone: () => isMade(note),
    run: async ({ report, signal }) => {
      const inputs = hashOfSources();
      mkdirSync(join(state, 'setup'), { recursive: true });
      let files = [];
      const onLine = (line) => {
        if (line.startsWith('{')) files = JSON.parse(line).files;
        else report(line);
      };
      await runProgram(node24, ['--disable-warning=ExperimentalWarning', program], { cwd: repository, env: { ...env, SVC_CACHE_DIR: cacheFolder(env) }, signal, onLine });
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
    return inputs === hashOfSources() && files.every((file) => existsSync(file));
  } catch {
    return false;
  }
}

function hashOfSources() {
  const hash = createHash('sha256');
  for (const path of sources.map((source) => join(repository, source)).filter((path) => existsSync(path)).flatMap(filesBelow)) hash.update(path).update(readFileSync(path));
  return hash.digest('hex');
}

function filesBelow(path) {
  if (path.endsWith('.json')) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.ts$/.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

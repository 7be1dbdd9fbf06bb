// The npm packages of package-lock.json, Node 24 among them.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './folders.mjs';
import { runProgram } from './programs.mjs';

export const node24 = join(repository, 'node_modules', '.bin', 'node');

export function npmStep(env) {
  return {
    name: 'npm packages',
    lock: `npm ${repository}`,
    isDone: isInstalled,
    run: ({ report, signal }) =>
      // npm writes its note of what is installed last: an interrupted installation is seen and done again.
      runProgram('npm', ['ci', '--no-progress', '--loglevel=http'], { cwd: repository, env, signal, onLine: (line) => report(line.replace(/^npm http /, '')) }),
  };
}

/** Compares npm's own note of what is installed with the lock file, package by package. */
export function isInstalled() {
  const note = join(repository, 'node_modules', '.package-lock.json');
  if (!existsSync(note) || !existsSync(node24)) return false;
  const installed = JSON.parse(readFileSync(note, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')).packages;
  // Optional packages for other machines are wanted by the lock file and rightly absent.
  return Object.entries(wanted).every(([path, { version, optional, link }]) => path === '' || link || installed[path]?.version === version || (optional && !installed[path]));
}

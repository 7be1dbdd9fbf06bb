// The npm packages of package-lock.json, Node 24 among them.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './folders.mjs';
import { runProgram } from './programs.mjs';

const modules = join(repository, 'node_modules');
const unfinished = join(modules, '.svc-installing');
export const node24 = join(modules, '.bin', 'node');

export function npmStep(env) {
  return {
    name: 'npm packages',
    lock: `npm ${repository}`,
    isDone: isInstalled,
    run: async ({ report, signal }) => {
      // A killed installation leaves packages that look whole: the next one starts from nothing.
      if (existsSync(unfinished)) rmSync(modules, { recursive: true, force: true });
      mkdirSync(modules, { recursive: true });
      writeFileSync(unfinished, '');
      // Not `npm ci`: it refuses a lock file that lacks some other platform's optional package, which a mirror may not carry.
      const args = ['install', '--no-save', '--no-progress', '--loglevel=http'];
      await runProgram('npm', args, { cwd: repository, env, signal, onLine: (line) => report(line.replace(/^npm http /, '')) });
      rmSync(unfinished, { force: true });
    },
  };
}

/** Compares npm's own note of what is installed with the lock file, package by package. */
export function isInstalled() {
  const note = join(modules, '.package-lock.json');
  if (existsSync(unfinished) || !existsSync(note) || !existsSync(node24)) return false;
  const installed = JSON.parse(readFileSync(note, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')).packages;
  // Optional packages for other machines are wanted by the lock file and rightly absent.
  return Object.entries(wanted).every(
    ([path, { version, optional, link }]) => path === '' || link || installed[path]?.version === version || (optional && !installed[path]),
  );
}

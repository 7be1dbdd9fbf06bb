// The npm packages of package-lock.json, Node 24 among them.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './folders.mjs';
import { areLinked, makeLinks } from './links.mjs';
import { UserError, advice, runProgram } from './programs.mjs';

const modules = join(repository, 'node_modules');
const unfinished = join(modules, '.svc-installing');
export const node24 = join(modules, '.bin', 'node');

const NODE_WANTED = `It is the package node-linux-${process.arch}, which is published for Linux on x64 and arm64: check that your registry carries it, and that npm does not omit optional packages (npm config get omit).`;

export function npmStep(env) {
  return {
    name: 'npm packages',
    lock: `npm ${repository}`,
    isDone: () => isInstalled() && areLinked(),
    run: async ({ report, signal }) => {
      // After an `npm ci` by hand this is all that is missing.
      if (isInstalled()) makeLinks();
      if (isInstalled() && areLinked()) return;
      // A killed installation leaves packages that look whole: the next one starts from nothing.
      if (existsSync(unfinished)) rmSync(modules, { recursive: true, force: true });
      mkdirSync(modules, { recursive: true });
      writeFileSync(unfinished, '');
      // Not `npm ci`: it refuses a lock file that lacks some other platform's optional package, which a
      // mirror may not carry.
      const args = ['install', '--no-save', '--no-progress', '--loglevel=http', '--ignore-scripts'];
      const offline = new AbortController();
      const onLine = watchNpm(report, () => offline.abort());
      await runProgram('npm', args, { cwd: repository, env, signal: AbortSignal.any([signal, offline.signal]), onLine }).catch((error) => {
        throw offline.signal.aborted ? new UserError(`The npm packages could not be fetched.${advice(['EAI_AGAIN'])}`) : error;
      });
      makeLinks();
      // npm leaves out an optional package that it cannot fetch, and says nothing.
      if (!existsSync(node24)) throw new UserError(`npm brought no Node for ${process.platform} on ${process.arch}. ${NODE_WANTED}`);
      rmSync(unfinished, { force: true });
    },
  };
}

/**
 * Says how far npm is, from its log lines. Without a network npm would try for hours, each optional package
 * for more than a minute: `onOffline` is called once the name of the registry cannot be looked up, or does
 * not answer, and nothing has come since.
 */
export function watchNpm(report, onOffline) {
  let [fetched, lost] = [0, 0];
  return (line) => {
    const got = /^npm http fetch GET 200 \S+\/([^/]+)\.tgz/.exec(line);
    if (got) {
      fetched += 1;
      lost = 0;
      report(`${fetched} packages fetched, the last ${decodeURIComponent(got[1])}`);
    } else if (/attempt \d+ failed with (EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|ECONNREFUSED)/.test(line)) {
      lost += 1;
      report('the registry does not answer; trying again');
      if (lost > (fetched === 0 ? 0 : 2)) onOffline();
    } else if (line.startsWith('npm http')) report(fetched === 0 ? 'looking up versions' : `${fetched} packages fetched`);
    else if (!line.startsWith('npm ') && line.trim() !== '') report(`${fetched} packages fetched, unpacking and linking`);
  };
}

/**
 * Some installation is whole, perhaps of an older lock file: enough to look at a running stack, and to end
 * it.
 */
export function isUsable() {
  return existsSync(node24) && !existsSync(unfinished);
}

/** Compares npm's own note of what is installed with the lock file, package by package. */
function isInstalled() {
  const note = join(modules, '.package-lock.json');
  if (existsSync(unfinished) || !existsSync(note)) return false;
  const installed = JSON.parse(readFileSync(note, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')).packages;
  // Optional packages for other machines are wanted by the lock file and rightly absent; our Node for this
  // one is not.
  const ours = `node_modules/node-linux-${process.arch}`;
  return Object.entries(wanted).every(
    ([path, { version, optional, link }]) => path === '' || link || installed[path]?.version === version || (optional && path !== ours && !installed[path]),
  );
}

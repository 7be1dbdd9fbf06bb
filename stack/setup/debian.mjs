// Debian packages: what the virtual machines and the source control of agents need of the machine, and the
// browser that tests drive. The optional ones (sandboxes' images from registries) come along with the others;
// where apt has none of them, everything else still works.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { UserError, runProgram } from './programs.mjs';

export const { packages, optional, tests } = JSON.parse(readFileSync(new URL('./debian.json', import.meta.url), 'utf8'));

/**
 * Decides, before anything runs, how missing packages of `wanted` will be installed, and `extra` with them
 * where apt has those; asks on a terminal. Throws with the exact command where it may not or cannot.
 */
export async function debianStep(env, { yes, terminal, wanted, extra }) {
  const missing = missingPackages(wanted);
  const command = `apt-get install -y --no-install-recommends ${[...missing, ...missingPackages(extra)].join(' ')}`;
  const step = (prefix) => ({
    name: 'Debian packages',
    lock: 'debian packages',
    isDone: () => missingPackages(wanted).length === 0,
    run: (around) => install({ wanted, extra }, prefix, env, around),
  });
  if (missing.length === 0) return step([]);
  const isRoot = process.getuid?.() === 0;
  const byHand = new UserError(
    `These Debian packages are missing: ${missing.join(', ')}. Install them, then run this again:\n  ${isRoot ? '' : 'sudo '}${command}`,
  );
  if (terminal && !yes) {
    const dialogue = createInterface({ input: process.stdin, output: process.stdout });
    const answer = await dialogue.question(`Missing Debian packages: ${missing.join(', ')}.\nInstall them now${isRoot ? '' : ' (by sudo)'}? [Y/n] `);
    dialogue.close();
    if (/^n/i.test(answer.trim())) throw byHand;
  }
  if (isRoot) return step([]);
  if (!hasSudo()) throw new UserError(`${byHand.message.replace('sudo ', '')}\n(as root: there is no sudo on this machine)`);
  const keepsGoing = spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0;
  if (!terminal && !(yes && keepsGoing)) throw byHand;
  // The password is asked for here, while nothing else writes to the terminal.
  if (!keepsGoing && spawnSync('sudo', ['-v'], { stdio: 'inherit' }).status !== 0) throw byHand;
  return step(['sudo', '-n']);
}

function missingPackages(names) {
  try {
    const query = ['-W', '-f', '${db:Status-Status} ${Package}\n', ...names];
    // dpkg-query ends with 1 when it does not know one of them: what it printed counts.
    const { stdout, error } = spawnSync('dpkg-query', query, { encoding: 'utf8' });
    if (error) throw error;
    const installed = new Set(stdout.split('\n').flatMap((line) => (line.startsWith('installed ') ? [line.slice('installed '.length)] : [])));
    return names.filter((name) => !installed.has(name));
  } catch {
    throw new UserError(`This is no Debian system (dpkg-query is missing). Debian 12 or newer is needed, with the packages ${names.join(', ')}.`);
  }
}

async function install({ wanted, extra: alsoWanted }, prefix, env, { report, signal }) {
  const run = (...args) => {
    const [command, ...rest] = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', ...args];
    return runProgram(command, rest, { env, signal, onLine: report });
  };
  const needed = missingPackages(wanted);
  const extra = missingPackages(alsoWanted);
  const fetch = (names) => run('apt-get', 'install', '-y', '--no-install-recommends', ...names);
  // An installation that was killed half way is finished first; this does nothing otherwise.
  await run('dpkg', '--configure', '-a');
  if (!hasLists(wanted[0])) await run('apt-get', 'update');
  await fetch([...needed, ...extra]).catch(async (error) => {
    if (signal.aborted) throw error;
    // Old package lists name files that are no longer there.
    await run('apt-get', 'update');
    await fetch([...needed, ...extra]).catch(async (again) => {
      if (signal.aborted || extra.length === 0) throw again;
      report(`Without ${extra.join(' and ')}: sandboxes cannot use images of registries until they are installed.`);
      await fetch(needed);
    });
  });
}

/** True when apt knows where to fetch packages: a fresh container has no lists. */
function hasLists(name) {
  const { stdout } = spawnSync('apt-cache', ['policy', name], { encoding: 'utf8' });
  return /Candidate: (?!\(none\))/.test(stdout ?? '');
}

function hasSudo() {
  try {
    execFileSync('sudo', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

// Programs of Debian that benchmarks run beside ours. Where they are missing, a benchmark offers to install
// them, as set-up does.
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { debianStep } from '#stack/setup/debian.mjs';
import { UserError } from '#stack/setup/programs.mjs';
import { runSteps } from '#stack/setup/steps.mjs';

const PACKAGES = { wrk: 'wrk', nginx: 'nginx-light' };
type Name = keyof typeof PACKAGES;

/**
 * Installs what is missing where a person says yes or `--yes` does; else ends this process with a sentence
 * that says what to do. Nothing is started before.
 */
export async function requirePrograms(...names: readonly Name[]): Promise<void> {
  // Debian keeps nginx where not every user's PATH leads.
  process.env.PATH = `${process.env.PATH ?? '/usr/bin'}:/usr/sbin`;
  try {
    await install(names.filter((name) => !isOnPath(name, process.env.PATH ?? '')));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

async function install(missing: readonly Name[]): Promise<void> {
  if (missing.length === 0) return;
  const yes = process.env.CI === 'true' || process.argv.includes('--yes');
  const terminal = process.stdin.isTTY && process.stdout.isTTY;
  const wanted = missing.map((name) => PACKAGES[name]);
  if (!yes && !terminal)
    throw new UserError(
      `This benchmark needs ${missing.join(' and ')}: run it again with --yes, which installs them, or run sudo apt-get install -y ${wanted.join(' ')}`,
    );
  const step = await debianStep(process.env, { yes, terminal, wanted, extra: [] });
  await runSteps([step], { output: process.stdout, signal: new AbortController().signal });
}

function isOnPath(name: string, path: string): boolean {
  return path.split(':').some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

// The Debian tree that the guests' base image is packed of: a minute of apt and dpkg, which needs nothing of
// npm's and so is made meanwhile.
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { debianCommand, debianRecipe, debianTree } from '#host/microvm/images/debian.mjs';
import { UserError, runProgram } from './programs.mjs';

export function debianTreeStep(env, cache, after) {
  const dir = join(cache, 'microvm');
  const target = () => join(dir, debianTree(editionOf(dir)));
  return {
    name: 'Debian tree',
    after,
    lock: `debian tree ${dir}`,
    isDone: () => existsSync(target()),
    run: async ({ report, signal }) => {
      const path = target();
      // Not the name under which a host would make it: it removes those.
      const draft = `${path}.set-up`;
      mkdirSync(dir, { recursive: true, mode: 0o755 });
      // We hold the lock: a killed attempt left these.
      for (const name of readdirSync(dir)) if (join(dir, name).startsWith(draft)) rmSync(join(dir, name), { recursive: true, force: true });
      const work = process.getuid?.() === 0 ? `${draft}.work` : undefined;
      if (work !== undefined) mkdirSync(work, { mode: 0o700 });
      const { command, args, env: more } = debianCommand(draft, debianRecipe, work);
      try {
        await runProgram(command, args, { env: { ...env, ...more }, signal, onLine: (line) => line.startsWith('I: ') && report(line.slice(3)) });
        renameSync(draft, path);
      } catch (error) {
        // The step of the images tries again, and says what to do.
        if (signal.aborted || !(error instanceof UserError)) throw error;
        report('could not be made yet');
      } finally {
        for (const left of [draft, `${draft}.work`]) rmSync(left, { recursive: true, force: true });
      }
    },
  };
}

/** As host/microvm/images/edition.ts writes it. */
function editionOf(dir) {
  try {
    return JSON.parse(readFileSync(join(dir, 'edition.json'), 'utf8'));
  } catch {
    return {};
  }
}

// Two links in node_modules/.bin that npm does not make everywhere. `node`: npm 10 makes none of that name.
// `svc`: npm makes none for the package that it installs in; with it npx finds this tool in every folder of
// the clone (a project made inside it, say) and not a stranger's package of the same name from the registry.
// Pages say how to have it everywhere: docs/using.md.
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repository } from './folders.mjs';

const folder = join(repository, 'node_modules', '.bin');
const targets = { node: `../node-linux-${process.arch}/bin/node`, svc: '../../cli/bin.mjs' };

export function areLinked() {
  return Object.keys(targets).every((name) => existsSync(join(folder, name)));
}

/** Those whose program is there. */
export function makeLinks() {
  mkdirSync(folder, { recursive: true });
  for (const [name, target] of Object.entries(targets)) {
    const link = join(folder, name);
    if (existsSync(link) || !existsSync(join(dirname(link), target))) continue;
    rmSync(link, { force: true }); // it leads nowhere
    symlinkSync(target, link);
  }
}

// node_modules/.bin/svc, so that npx finds this tool in every folder of the clone (a project made inside it, say) and not a stranger's package
// of the same name from the registry. npm makes none for the package that it installs in. Pages say how to have it everywhere: docs/using.md.
import { lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './folders.mjs';

const folder = join(repository, 'node_modules', '.bin');
const link = join(folder, 'svc');

export function isLinked() {
  return lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

export function linkTool() {
  mkdirSync(folder, { recursive: true });
  rmSync(link, { force: true });
  symlinkSync('../../cli/bin.mjs', link);
}

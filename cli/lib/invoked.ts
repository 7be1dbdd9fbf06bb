// Advice names the tool as the person can type it again, in any folder.
import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { shellQuoted } from './shell-quoted.ts';

const NAME = 'svc';

/**
 * `svc`, where the shell finds this program by that name; else the path of `script`, by which it was started.
 */
export function typedName(script: string, env: Readonly<Record<string, string | undefined>>): string {
  // Folders that npm adds for what it starts are not on the person's own PATH.
  const byNpm = env.npm_command !== undefined;
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '' && !(byNpm && /\/node_modules\/\.bin\/?$/.test(folder)));
  const first = folders.map((folder) => join(folder, NAME)).find(isExecutable);
  if (first !== undefined && realpathSync(first) === realpathSync(script)) return NAME;
  // npm's links come and go with its cache.
  const path = byNpm ? realpathSync(script) : script;
  return isExecutable(path) ? shellQuoted(path) : `node ${shellQuoted(path)}`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A text that says `svc …`, with the name under which the tool was started. */
export function asInvoked(text: string, name: string): string {
  return name === NAME ? text : text.replace(/(?<![\w./@~-])svc (?=[a-z<-]|COMMAND)/g, () => `${name} `);
}

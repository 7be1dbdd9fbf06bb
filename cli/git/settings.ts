// Configures git's sign-in at the platform: git asks this tool for a token each time, so no file of git has a
// secret.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Setting {
  name: string;
  value: string;
}

/** `launcher`: the program and script of this run, for where no `svc` is on the path. */
export function credentialSettings(api: string, { path, launcher }: { path: string | undefined; launcher: readonly string[] }): Setting[] {
  const tool = isOnPath('svc', path) ? 'svc' : launcher.map(quoted).join(' ');
  const at = `credential.${new URL(api).origin}`;
  return [
    // The first, empty one takes away the helpers of the machine, which would store the token.
    { name: `${at}.helper`, value: '' },
    // It stores and erases nothing: only to get is worth the start of a program.
    { name: `${at}.helper`, value: `!f() { test "$1" != get || ${tool} git-credential --api ${quoted(api)} get; }; f` },
    // Which repository it is for: a token opens one.
    { name: `${at}.useHttpPath`, value: 'true' },
  ];
}

/** npx and npm scripts put a folder of the project first that git will not have. */
const OF_NPM = /[/\\]node_modules[/\\]\.bin[/\\]?$/;

function isOnPath(program: string, path = ''): boolean {
  return path.split(delimiter).some((folder) => {
    if (OF_NPM.test(folder)) return false;
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}

/** For the shell that git runs helpers with. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

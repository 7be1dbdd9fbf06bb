// Keeps what Node compiles of the tool in the user's own cache folder: the temporary folder, Node's default,
// is open to others.
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where the folder cannot be written, the tool compiles each time. */
export function keepCompiled() {
  module.enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'svc', 'compiled'));
}

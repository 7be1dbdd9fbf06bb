// The command line tool as people have it: packed, installed by npm in an empty folder.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packCli } from '#cli/package/build.ts';

/** Resolves with the file that Node runs. */
export async function publishedCli(folder: string): Promise<string> {
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  await promisify(execFile)('npm', ['install', '--no-audit', await packCli(join(folder, 'packed'))], { cwd: folder });
  return join(folder, 'node_modules/@svc/cli/bin.mjs');
}

// The npm packages as they are published, each made once for each state of its sources and kept in the cache.
// That the sources of the SDK make one in a fresh clone is proved by cli/project/sdk.parts.test.ts, every
// time.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packCli } from '#cli/package/build.ts';
import { cached } from '#host/microvm/images/cache.ts';
import { buildClient } from '#sdk/client/build.ts';
import { buildSdk } from '#sdk/typescript/build.ts';
import { cacheFolder, repository } from '#stack/setup/folders.mjs';
import { sourceHash } from '#stack/setup/source-hash.mjs';

/** What each package is made of, with the compiler and bundler of the lock file. */
const MADE_OF = ['contract', 'sdk', 'package.json', 'package-lock.json', 'tsconfig.json', 'version.ts', 'LICENSE'];
const made = new Map<string, Promise<string>>();

function once(name: string, sources: readonly string[], make: (folder: string) => Promise<void>): Promise<string> {
  const kept = made.get(name);
  if (kept) return kept;
  const hash = sourceHash([...MADE_OF, ...sources].map((path) => join(repository, path))).slice(0, 20);
  const folder = cached(join(cacheFolder(process.env), 'packages'), `${name}-${hash}`, make);
  made.set(name, folder);
  return folder;
}

/** The folder of @svc/sdk, to be copied: it is everybody's. */
export const builtSdk = (): Promise<string> => once('sdk', [], buildSdk);

/** The folder of @svc/client, to be copied. */
export const builtClient = (): Promise<string> => once('client', [], buildClient);

/** The archive of @svc/cli that npm installs. */
export async function packedCli(): Promise<string> {
  const folder = await once('cli', ['cli'], async (draft) => void (await packCli(draft)));
  const [archive = ''] = await readdir(folder);
  return join(folder, archive);
}

// Where the built dashboard is: by the hash of what it is made of, so that two clones do not replace each
// other's.
import { join } from 'node:path';
import { repository } from './folders.mjs';
import { sourceHash } from './source-hash.mjs';

export const dashboardSources = [
  'web',
  'contract',
  'sdk/client',
  'sdk/typescript/README.md',
  'sdk/python/README.md',
  'sdk/options.md',
  'sdk/PARITY.md',
  'docs',
  'cli/templates',
  'deploy',
  'package-lock.json',
];

/** Below the cache folder. It is there once set-up has built it. @param language as SVC_LANGUAGE names it */
export function dashboardFolder(cache, language = '') {
  const sources = sourceHash(dashboardSources.map((path) => join(repository, path))).slice(0, 20);
  return join(cache, 'dashboard', language === '' ? sources : `${sources}-${language}`);
}

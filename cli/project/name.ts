// Which agent a command is about: the one named, else that of the project in the folder.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../lib/errors.ts';

/** @throws UsageError where there is neither */
export async function agentName(named: string | undefined, folder: string): Promise<string> {
  if (named === undefined && folder === '.' && !existsSync(join(folder, 'svc.yaml')))
    throw new UsageError('Which agent? Give its name, or run this inside its project.');
  if (named !== undefined) return named;
  const { readProject } = await import('./read.ts');
  return (await readProject(folder)).manifest.name;
}

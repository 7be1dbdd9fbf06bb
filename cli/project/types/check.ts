// The types of a project: checked beside loading it, by the compiler or checker of its language.
import type { Say } from '../../lib/progress.ts';
import { isWorker } from '../languages/worker.ts';
import type { Problem } from '../problem.ts';
import type { Entry } from '../read.ts';
import { linkSdk } from '../sdk.ts';
import { pythonProblems } from './python.ts';
import { typescriptProblems } from './typescript.ts';

/** Begun; `found` says what is wrong, once the project was loaded or could not be. */
export async function typesOf(folder: string, entry: Entry, say: Say = () => undefined): Promise<{ found: () => Promise<Problem[]> }> {
  // Its environment is made by loading it.
  if (entry.language === 'python') return { found: () => pythonProblems(folder, say) };
  if (isWorker(entry)) return { found: () => Promise.resolve([]) };
  await linkSdk(folder);
  const checking = typescriptProblems(folder, entry, say);
  // Loading may fail first.
  checking.catch(() => undefined);
  return { found: () => checking };
}

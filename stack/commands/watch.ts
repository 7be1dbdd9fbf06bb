// `watch`: as `up`, and API and worker start again when their sources are saved. PostgreSQL, Temporal and
// host run on, and so do agents.
import { join } from 'node:path';
import { baseUrl } from '../environment.ts';
import { allParts, lastAddresses } from '../parts/all.ts';
import { places, type Settings } from '../settings.ts';
import { SET_CURRENT } from '../parts/platform.ts';
import { runningDatabaseUrl } from '../parts/postgres.ts';
import type { Task } from '../part.ts';
import { runTask } from '../supervisor.ts';
import { watchParts } from '../watch/watch.ts';
import { up } from './up.ts';

/** What each is made of: the worker makes a bundle of the workflows when it starts. */
export const WATCHED = { api: ['api/main.ts'], worker: ['worker/main.ts', 'workflows/index.ts'], imports: ['imports/main.ts'] };

/** Ends with the signal; what is up stays up. */
export async function watch(settings: Settings, print: (line: string) => void, signal: AbortSignal): Promise<number> {
  const code = await up(settings, print);
  if (code !== 0) return code;
  const { run, logs } = places(settings.stateDir);
  const all = allParts(settings, { ...lastAddresses(settings), databaseUrl: runningDatabaseUrl(settings) });
  const setCurrent = all.find((part) => part.name === SET_CURRENT);
  // What was saved is what runs: a worker that only restarts would leave the version before current.
  const afterOf = (name: string) => (name === 'worker' && setCurrent?.kind === 'task' ? { after: () => carriedOut(setCurrent, logs, signal) } : {});
  const parts = all.flatMap((part) => {
    const entries = Object.entries(WATCHED).find(([name]) => name === part.name)?.[1];
    return entries && part.kind === 'service' ? [{ name: part.name, entries, stop: part.stop, ...afterOf(part.name) }] : [];
  });
  const ready = () => {
    print(`\nWatching the sources of ${parts.map(({ name }) => name).join(', ')}: a save starts them again, with all data kept. Ctrl-C ends only the watch.`);
    print(`The dashboard with hot reloading, in another terminal: node_modules/.bin/node web/build/dev.ts ${baseUrl(settings)}`);
    print('Changed host/ or db/migrations/? npm run down && npm run watch');
  };
  await watchParts(parts, { root: settings.repository, run, logs, print, signal }, ready);
  print('The watch has ended. The platform is still up; npm run down stops it.');
  return 0;
}

/** Resolves with why it could not be done. */
async function carriedOut(task: Task, logs: string, signal: AbortSignal): Promise<string | undefined> {
  const ended = await runTask(task, join(logs, `${task.name}.log`), signal);
  return ended === 0 ? undefined : `The worker is up again, but its workflow code is not current: ${ended}`;
}

// `rotate-keys`: a new key for everything that is stored sealed, while the platform runs.
import { rotateKeys } from '../tasks/rotate-keys.ts';
import { runningDatabaseUrl } from '../parts/postgres.ts';
import { places, type Settings } from '../settings.ts';

/** Answers 0 when every value is sealed by the newest key, 1 when some cannot be opened. */
export async function rotate(settings: Settings, print: (line: string) => void): Promise<number> {
  const { secrets } = places(settings.stateDir);
  const { sealed, unreadable } = await rotateKeys({ databaseUrl: runningDatabaseUrl(settings), secretsDir: secrets }, print);
  print(`${sealed} values sealed again${unreadable > 0 ? `; ${unreadable} cannot be opened by any key of the file: see which table above` : ''}.`);
  return unreadable > 0 ? 1 : 0;
}

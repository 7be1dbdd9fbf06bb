// `rotate-keys`: a new key for everything that is stored sealed, while the platform runs.
import { rotateKeys } from '../tasks/rotate-keys.ts';
import { runningServer } from '../postgres.ts';
import { readText } from '../files.ts';
import { places, type Settings } from '../settings.ts';

/** Answers 0 when every value is sealed by the newest key, 1 when some cannot be opened. */
export async function rotate(settings: Settings, print: (line: string) => void): Promise<number> {
  const { secrets } = places(settings.stateDir);
  const { sealed, unreadable } = await rotateKeys({ databaseUrl: databaseUrlOf(settings), secretsDir: secrets }, print);
  print(`${sealed} values sealed again${unreadable > 0 ? `; ${unreadable} cannot be opened by any key of the file: see which table above` : ''}.`);
  return unreadable > 0 ? 1 : 0;
}

function databaseUrlOf(settings: Settings): string {
  if (settings.DATABASE_URL !== undefined) return settings.DATABASE_URL;
  const { postgres, postgresPassword } = places(settings.stateDir);
  const server = runningServer(postgres);
  const password = readText(postgresPassword);
  if (!server || password === undefined) throw new Error('PostgreSQL is not running: `npm run up` first.');
  return `postgres://svc:${password.trim()}@127.0.0.1:${server.port}/svc`;
}

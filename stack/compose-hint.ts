// Somebody has started temporal-dev.yml with Docker: `up` uses that server only where it is told to.
import { existsSync } from 'node:fs';
import { accepts } from './ports.ts';
import { places, type Settings } from './settings.ts';
import { devServerValues } from './temporal.ts';

/**
 * Before the first server of our own is made: afterwards its workflows are there. `port`: where the file has
 * the server.
 */
export async function composeHint(settings: Settings, port = Number(devServerValues('--port')[0])): Promise<string | undefined> {
  const { TEMPORAL_ADDRESS: address, SVC_PARTS: parts, stateDir } = settings;
  const startsOne = address === undefined && parts?.includes('temporal') !== false;
  if (!startsOne || existsSync(places(stateDir).temporalDatabase) || !(await accepts('127.0.0.1', port))) return undefined;
  const at = `127.0.0.1:${port}`;
  return `Another program listens at ${at}. This installation starts a Temporal of its own. Is that the one of temporal-dev.yml, and to be used? npm run down, then TEMPORAL_ADDRESS=${at} npm run up`;
}

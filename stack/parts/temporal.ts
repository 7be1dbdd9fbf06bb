import { answersHttp } from '../health.ts';
import { portTaken, accepts, isFree } from '../ports.ts';
import type { Addresses } from '../environment.ts';
import type { Part } from '../part.ts';
import { places, type Settings } from '../settings.ts';
import { findTemporal } from '../setup/temporal-binary.mjs';
import { devServer } from '../temporal.ts';
import { CODEC_PATH } from '../temporal-ui/codec.ts';

/** The development server and its UI, or the user's behind TEMPORAL_ADDRESS. */
export function temporalPart(settings: Settings, { temporalAddress, temporalUi }: Addresses): Part {
  const { hostname, port } = new URL(`tcp://${temporalAddress}`);
  const health = async () => {
    if (!(await accepts(hostname, Number(port)))) throw new Error(`nothing accepts connections at ${temporalAddress}`);
  };
  const common = { name: 'temporal', after: [], health };
  if (settings.TEMPORAL_ADDRESS !== undefined) return { ...common, kind: 'external', address: temporalAddress };
  return {
    ...common,
    // The kernel accepts connections for a server that hangs: ours is asked for an answer, which its UI
    // fetches from the server itself.
    health: temporalUi === undefined ? health : () => answersHttp({ port: temporalUi.serverPort, path: '/api/v1/system-info' }),
    kind: 'service',
    address: temporalAddress,
    program: async () => {
      const binary = findTemporal(settings.inherited, settings.cacheDir);
      if (binary === undefined) throw new Error('no temporal program is installed: run npm run setup');
      if (!(await isFree(Number(port)))) throw new Error(portTaken(Number(port), 'SVC_TEMPORAL_PORT'));
      const uiPort = temporalUi === undefined ? {} : { uiPort: temporalUi.serverPort, codecUrl: `http://localhost:${temporalUi.port}${CODEC_PATH}` };
      return devServer({ binary, port: Number(port), ...uiPort, databaseFile: places(settings.stateDir).temporalDatabase });
    },
    stop: { signal: 'SIGINT', graceMs: 10_000 },
  };
}

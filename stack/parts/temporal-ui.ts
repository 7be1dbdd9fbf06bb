// starts: stack/temporal-ui/main.ts
import type { Addresses } from '../environment.ts';
import { answersHttp } from '../health.ts';
import type { Part } from '../part.ts';
import { isFree, portTaken } from '../ports.ts';
import { places, type Settings } from '../settings.ts';
import { devServerNamespace } from '../temporal.ts';
import { nodeService } from './node.ts';

/** What people open of Temporal. */
export function temporalUiPart(settings: Settings, { temporalUi }: Addresses): Part {
  const common = { name: 'temporal-ui', after: ['temporal'] };
  if (temporalUi === undefined) return { ...common, kind: 'skipped', note: 'comes with your own Temporal' };
  const { port } = temporalUi;
  const args = [port, temporalUi.serverPort].map(String);
  return nodeService(
    {
      repository: settings.repository,
      file: 'stack/temporal-ui/main.ts',
      args: [...args, devServerNamespace(), places(settings.stateDir).secrets],
      env: { PATH: settings.inherited.PATH ?? '/usr/bin:/bin', SVC_SUPERVISED: settings.stateDir },
    },
    {
      ...common,
      address: `http://localhost:${port}`,
      prepare: async () => {
        if (!(await isFree(port))) throw new Error(portTaken(port, 'SVC_TEMPORAL_UI_PORT'));
      },
      health: () => answersHttp({ port, path: '/api/v1/settings' }),
      stop: { signal: 'SIGTERM', graceMs: 5_000 },
    },
  );
}

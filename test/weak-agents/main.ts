// The weak agents in a process of their own, each on its instance's socket. argv: JSON of the control plane's
// URL and the agents.
import { rm } from 'node:fs/promises';
import { controlPlane } from '#sdk/typescript/platform/control-plane.ts';
import { startAgent } from '#sdk/typescript/runtime/start.ts';
import { WEAK, type WeakName } from './agents.ts';

export interface WeakPlace {
  url: string;
  agents: { which: WeakName; name: string; socket: string; grantKey: string }[];
}

// Safe: world.ts is who starts this.
const place = JSON.parse(process.argv[2] ?? '') as WeakPlace;
for (const { which, name, socket, grantKey } of place.agents) {
  await rm(socket, { force: true });
  await startAgent(new WEAK[which].make(name), {
    platform: controlPlane({ url: place.url, grantKey, agentsDomain: 'agents.test' }),
    apiKey: 'the-key',
    listen: { path: socket },
    onLog: () => undefined,
  });
}
process.send?.('ready');

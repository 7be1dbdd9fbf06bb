// A platform with weak agents that are live: everything real but the machines.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { putSecret } from '#core/agents/secret/put.ts';
import { audienceKey } from '#core/workspace/grant/keys.ts';
import { declare } from '#sdk/typescript/authoring/declare.ts';
import { socketOf } from '../support/agent-socket.ts';
import { durableWorld, type DurableWorld } from '../support/durable/world.ts';
import { type LiveAgent, liveAgent } from '../support/runs.ts';
import { SUPPLIER_KEY, WEAK, type WeakName } from './agents.ts';
import type { WeakPlace } from './main.ts';

export interface WeakWorld {
  w: DurableWorld;
  agents: ReadonlyMap<WeakName, LiveAgent>;
  close(): Promise<void>;
}

/** All of ada's. */
export async function weakWorld(names: readonly WeakName[], servers?: Parameters<typeof durableWorld>[0]): Promise<WeakWorld> {
  const w = await durableWorld(servers);
  const agents = new Map<WeakName, LiveAgent>();
  const places: WeakPlace['agents'] = [];
  for (const which of names) {
    const agent = await liveAgent(w.t.ctx, w.ada.actor.user_id);
    agents.set(which, agent);
    const { card } = declare(new WEAK[which].make(agent.name));
    for (const table of ['agents', 'deployments'] as const) await w.t.ctx.db(table).where({ agent_id: agent.id }).update({ card: JSON.stringify(card) }); // prettier-ignore
    const socket = socketOf(w.t.ctx.drivers.runtime.address(agent.instanceId));
    await mkdir(dirname(socket), { recursive: true });
    places.push({ which, name: agent.name, socket, grantKey: Buffer.from(await audienceKey(w.t.ctx, agent.name)).toString('base64url') });
  }
  const leaks = agents.get('leaked-secret');
  if (leaks) await putSecret(w.ada, { name: leaks.name, key: 'SUPPLIER_KEY', value: SUPPLIER_KEY, inject: null, restart: false });
  const child = fork(fileURLToPath(new URL('./main.ts', import.meta.url)), [JSON.stringify({ url: w.url, agents: places } satisfies WeakPlace)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
    env: { ...process.env, SUPPLIER_KEY },
  });
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (message !== 'ready') throw new Error('the weak agents ended before they were ready');
  return {
    w,
    agents,
    async close() {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      await w.close();
    },
  };
}

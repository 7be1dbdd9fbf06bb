// Puts every virtual machine of this installation to sleep through the host, so that none runs on and each wakes where it was.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgentRuntime } from '../drivers/runtime/port.ts';

/** Rejects when the host does not answer; machines that cannot be suspended are left to the caller. */
export async function suspendMachines(repository: string, socketPath: string): Promise<void> {
  const client = join(repository, 'drivers/runtime/client.ts');
  if (!existsSync(client)) return;
  const runtime = asRuntimeModule(await import(pathToFileURL(client).href)).hostRuntime({ socketPath });
  const instances = await runtime.instances();
  const awake = instances.filter(({ tier }) => tier === 'awake' || tier === 'paused');
  await Promise.allSettled(awake.map(({ instance_id }) => runtime.sleep(instance_id, 'suspended')));
}

/** The module is loaded only when it is needed; its shape is the one that drivers/runtime/client.ts declares. */
function asRuntimeModule(module: unknown) {
  return module as { hostRuntime: (options: { socketPath: string }) => AgentRuntime };
}

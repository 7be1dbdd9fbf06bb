// Instances of imported agents run on no machine of ours: one process serves them all, behind one socket. The
// rest is the host's.
import type { AgentRuntime } from './port.ts';

/** By its id, which the import gave it. */
function isImported(instanceId: string): boolean {
  return instanceId.startsWith('imp_');
}

export function withImports(host: AgentRuntime, socket: string): AgentRuntime {
  const unlessImported = (work: (id: string) => Promise<void>) => (id: string) => (isImported(id) ? Promise.resolve() : work(id));
  return {
    ...host,
    stop: unlessImported((id) => host.stop(id)),
    wake: unlessImported((id) => host.wake(id)),
    restrict: (id, network) => (isImported(id) ? Promise.resolve() : host.restrict(id, network)),
    sleep: (id, tier) => (isImported(id) ? Promise.resolve() : host.sleep(id, tier)),
    logs: (id, options) => (isImported(id) ? Promise.resolve([]) : host.logs(id, options)),
    address: (id) => (isImported(id) ? { unix: socket, of: id } : host.address(id)),
  };
}

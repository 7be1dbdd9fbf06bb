// Whether machines of this installation are emulated, said to whom starts it.
import { accessSync, constants } from 'node:fs';
import { answeredJson } from './health.ts';

export const EMULATED =
  'Warning: this machine has no KVM. Agents run in emulated machines, which are no security boundary: run only code of people whom you trust, ' +
  'or set SVC_REQUIRE_KVM=true (docs/operating.md, "Machines without KVM").';

export async function isEmulated(hostSocket: string, device = '/dev/kvm'): Promise<boolean> {
  try {
    accessSync(device, constants.R_OK | constants.W_OK);
  } catch {
    return true;
  }
  // The device may be there and not work: the host has tried it.
  const health = await answeredJson({ socketPath: hostSocket, path: '/health' }).catch(() => undefined);
  return typeof health === 'object' && health !== null && 'accelerator' in health && health.accelerator === 'tcg';
}

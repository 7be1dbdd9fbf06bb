// Where the control plane takes in what comes from guests, and from nobody else: a Unix socket beside the host's own.
import { join } from 'node:path';
import { checkSocketPath } from '../host/files.ts';

export function guestDoor(stateDir: string): string {
  return checkSocketPath(join(stateDir, 'run', 'guests.sock'));
}

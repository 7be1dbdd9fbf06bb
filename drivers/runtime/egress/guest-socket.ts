// The guest socket: a Unix socket beside the host's own, on which the API takes requests of guests only.
import { join } from 'node:path';
import { checkSocketPath } from '../host/files.ts';

export function guestSocket(stateDir: string): string {
  return checkSocketPath(join(stateDir, 'run', 'guests.sock'));
}

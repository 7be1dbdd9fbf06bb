// Unix sockets that a host and the processes beside it agree on.
import { join } from 'node:path';
import { RuntimeError } from './port.ts';

/** A unix socket's path holds 107 bytes. */
export function checkSocketPath(path: string): string {
  if (Buffer.byteLength(path) <= 107) return path;
  throw new RuntimeError('internal', `The path ${path} is too long for a socket (107 bytes): put SVC_STATE_DIR into a folder with a shorter path.`);
}

/** Beside the host's own socket: here the API takes requests of guests only. */
export const guestSocket = (stateDir: string): string => checkSocketPath(join(stateDir, 'run', 'guests.sock'));

/** Where the process that serves imported agents takes their calls. */
export const importsSocket = (stateDir: string): string => checkSocketPath(join(stateDir, 'run', 'imports.sock'));

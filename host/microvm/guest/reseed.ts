// For a Node program in the guest: what makes it safe to clone. See park.c for the other side. Before a
// template is saved the program blocks here, in the middle of its event loop; in a clone it continues from
// here with fresh random numbers before any other line of it runs. Without this, all clones of a template
// draw the same keys, tokens and UUIDs. Not mended: Math.random() (repeats in every clone: never use it for
// secrets), caches of worker threads, and random values drawn before.
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

const INIT = '/run/svc/init';

/**
 * Node hands out UUIDs and integers from caches filled before the snapshot: 128 UUIDs, 6 KiB for integers.
 */
function useUpCaches(): void {
  for (let i = 0; i < 128; i++) randomUUID();
  for (let i = 0; i < 1024; i++) randomInt(2);
}

function readFully(fd: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length;) at += readSync(fd, bytes, at, length - at, null);
  return bytes;
}

function park(onClone: (nonce: string) => void): void {
  const input = openSync(`${INIT}/park.in`, 'r');
  const output = openSync(`${INIT}/park.out`, 'w');
  writeSync(output, 'P');
  const nonce = readFully(input, 64).toString('latin1'); // the snapshot is taken while this waits
  randomBytes(16); // the clock is hours ahead here: OpenSSL takes new entropy from the kernel before it answers
  useUpCaches();
  writeSync(output, 'D');
  readFully(input, 1); // the clock is right again
  closeSync(input);
  closeSync(output);
  onClone(nonce);
}

/**
 * Registers this program. `onClone` is called in every clone, and in the original once its template is saved,
 * with a fresh nonce (64 hex digits). Resolves when registered; the connection does not keep the program
 * alive.
 */
export function followClones(onClone: (nonce: string) => void = () => undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(`${INIT}/park.sock`);
    socket.once('error', reject);
    socket.once('connect', () => resolve(socket.unref()));
    socket.on('data', (bytes: Buffer) => {
      for (let i = 0; i < bytes.length; i++) park(onClone);
    });
  });
}

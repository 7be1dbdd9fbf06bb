// Locks that a dead process does not hold: an abstract socket, which the kernel frees with its process.
import { createHash } from 'node:crypto';
import { connect, createServer } from 'node:net';

/** Resolves with the release function, or with undefined when another process holds the lock `name` now. */
export function tryLock(name) {
  return new Promise((resolve, reject) => {
    const held = new Set();
    const server = createServer((socket) => {
      // A waiter: it learns by the closing of its connection that the lock is free.
      held.add(socket);
      socket.on('error', () => {}).once('close', () => held.delete(socket));
      socket.unref();
    });
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    server.listen(address(name), () => {
      server.unref();
      resolve(() => {
        server.close();
        for (const socket of held) socket.destroy();
      });
    });
  });
}

/** Waits for the lock; `onWait` is called once if that is not at once. */
export async function lock(name, onWait) {
  for (let waited = false; ; waited = true) {
    const release = await tryLock(name);
    if (release) return release;
    if (!waited) onWait?.();
    await freed(name);
  }
}

/** Holds the lock while `work` runs. */
export async function withLock(name, work, onWait) {
  const release = await lock(name, onWait);
  try {
    return await work();
  } finally {
    release();
  }
}

function freed(name) {
  return new Promise((resolve) => {
    const socket = connect(address(name));
    socket.on('error', () => {}).once('close', resolve);
    socket.resume();
  });
}

function address(name) {
  return `\0svc-${process.getuid?.() ?? 0}-${createHash('sha256').update(name).digest('hex').slice(0, 40)}`;
}

// Between a client and a server of this machine: says when the client has sent so many bytes, before the
// server gets the last of them.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

interface CountedProxy {
  port: number;
  close(): void;
}

/**
 * `onBytes` is called once, with that many bytes sent or more, of all connections together. From then on
 * nothing is passed on.
 */
export async function countedProxy(to: number, bytes: number, onBytes: () => void): Promise<CountedProxy> {
  let sent = 0;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      open.add(one);
      one.on('error', () => undefined).on('close', () => void (open.delete(one), other.destroy()));
    }
    far.on('data', (piece) => void (sent < bytes && near.write(piece)));
    near.on('data', (piece) => {
      const before = sent;
      sent += piece.length;
      if (before < bytes && sent >= bytes) onBytes();
      else if (before < bytes) far.write(piece);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // Safe: it listens on a port.
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

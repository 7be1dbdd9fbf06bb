// The databases of the agent inside its guest: a loopback listener, each connection of which goes to the
// host's proxy over the channel.
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Host and port that the proxy knows them by. */
export const databaseAuthority = 'databases.svc.internal:5432';

const REQUEST = `CONNECT ${databaseAuthority} HTTP/1.1\r\nHost: ${databaseAuthority}\r\n\r\n`;
const MAX_HEAD = 4_096;

export function listenDatabases(port: number, servicePath: string): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    const host = connect({ path: servicePath, allowHalfOpen: true });
    client.on('error', () => host.destroy());
    host.on('error', () => client.destroy());
    client.on('close', () => host.destroy());
    host.on('close', () => client.destroy());
    host.write(REQUEST);
    answered(host, (first) => {
      client.setNoDelay(true);
      if (first.length > 0) client.write(first);
      client.pipe(host);
      host.pipe(client);
    });
  });
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

/** Once the proxy has agreed; what it says else ends the connection. */
function answered(host: Socket, begin: (first: Buffer) => void): void {
  let head: Buffer = Buffer.alloc(0);
  const read = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0 && head.length < MAX_HEAD) return;
    host.off('data', read);
    if (end < 0 || !head.toString('latin1', 0, end).startsWith('HTTP/1.1 200 ')) return void host.destroy();
    host.pause();
    begin(head.subarray(end + 4));
  };
  host.on('data', read);
}

// `svc ssh --tunnel`: a port of this machine behind which the box's sshd is, for programs that cannot start a
// command.
import { createServer, type AddressInfo } from 'node:net';
import type { Api } from '../lib/api.ts';
import { CliError, explain } from '../lib/errors.ts';
import type { Output } from '../lib/output.ts';
import { shellQuoted } from '../lib/shell-quoted.ts';
import type { SshFiles, Where } from './files.ts';
import { askForBox, joinTunnel } from './tunnel.ts';

export interface Served {
  client: Api;
  where: Where;
  files: SshFiles;
  user: string;
  port: number;
  output: Output;
  print: boolean;
}

const HOST = '127.0.0.1';
const MOST = 32;

/** Until a signal ends it. @throws CliError when the port is taken */
export async function serveTunnel({ client, where, files, user, port, output }: Served): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    // A token opens tunnels for minutes; this port is there for hours.
    askForBox(client, where, { renew: false })
      .then(({ box }) => joinTunnel(box, socket, socket, (text) => output.note(text)))
      .catch((error: unknown) => output.note(explain(error).message))
      .finally(() => socket.destroy());
  });
  server.maxConnections = MOST;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new CliError(`Port ${port} is taken. Choose another, or --port 0 for a free one.`) : error),
    );
    server.listen({ host: HOST, port }, resolve);
  });
  const { port: at } = server.address() as AddressInfo; // listening on a port
  const options = ['-o', `HostKeyAlias=${files.alias}`, '-o', `UserKnownHostsFile=${files.knownHosts}`, '-o', 'IdentitiesOnly=yes', '-i', files.key];
  const command = ['ssh', '-p', String(at), ...options, `${user}@${HOST}`].map(shellQuoted).join(' ');
  output.result({ host: HOST, port: at, user, identity_file: files.key, known_hosts: files.knownHosts, host_key_alias: files.alias, command }, [command]);
  output.note(`The dev box of ${where.agent} is at ${HOST}:${at} (stop with Ctrl-C)`);
  await new Promise<void>((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  server.close();
  return 0;
}

// The person's own ssh, which brings what people expect of it. It reaches the box through a port of this
// process: a bridge of its own, as other programs have it (`svc ssh-proxy`), would start this tool another
// time.
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { constants } from 'node:os';
import { duplexPair } from 'node:stream';
import { CliError, explain } from '../lib/errors.ts';
import type { SshFiles } from './files.ts';
import { joinTunnel, type Opened } from './tunnel.ts';

const HOST = '127.0.0.1';

export interface Session {
  files: SshFiles;
  box: Pick<Opened, 'url' | 'protocol' | 'access_token'>;
  /** Hears what the platform says of the tunnel, and why it failed. */
  note: (text: string) => void;
}

/** Only with our configuration: a person's own may say anything of this host. */
export async function startSsh({ files, box, note }: Session, args: readonly string[], stdio: StdioOptions): Promise<ChildProcess> {
  const [near, far] = duplexPair();
  let over = false;
  // It opens while ssh starts.
  joinTunnel(box, far, far, note).then(
    () => far.end(),
    (error: unknown) => {
      if (!over) note(explain(error).message);
      near.destroy();
    },
  );
  // For one connection: who else on this machine comes first finds an sshd that does not take their key.
  const server = createServer((socket) => {
    server.close();
    near.once('close', () => socket.destroySoon());
    socket.on('error', () => near.destroy()).once('close', () => near.destroy());
    socket.once('end', () => (over = true));
    socket.pipe(near).pipe(socket);
  });
  server.maxConnections = 1;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ host: HOST, port: 0 }, resolve));
  const { port } = server.address() as AddressInfo; // listening on a port
  const direct = ['-o', 'ProxyCommand=none', '-o', `HostName=${HOST}`, '-o', `Port=${port}`];
  const child = spawn('ssh', ['-F', files.config, ...direct, ...args], { stdio });
  const end = (): void => {
    over = true;
    server.close();
    near.destroy();
  };
  child.once('error', end).once('close', end);
  return child;
}

/** Resolves with its exit code. @throws CliError where there is no ssh */
export async function runSsh(session: Session, args: readonly string[]): Promise<number> {
  // Ctrl-C is for the program in the box.
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  try {
    return await endOf(await startSsh(session, args, 'inherit'));
  } finally {
    process.off('SIGINT', ignore);
  }
}

export function endOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'ENOENT' ? withoutSsh() : error));
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

function withoutSsh(): CliError {
  return new CliError('This needs the program ssh of OpenSSH, which is not on the PATH. On Debian and Ubuntu: sudo apt-get install openssh-client rsync');
}

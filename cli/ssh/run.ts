// The person's own ssh, which brings what people expect of it.
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { constants } from 'node:os';
import { CliError } from '../errors.ts';
import type { SshFiles } from './files.ts';

/** With our configuration alone: a person's own may say anything of this host. */
export function startSsh({ config }: SshFiles, args: readonly string[], stdio: StdioOptions): ChildProcess {
  return spawn('ssh', ['-F', config, ...args], { stdio });
}

/** Resolves with its exit code. @throws CliError where there is no ssh */
export async function runSsh(files: SshFiles, args: readonly string[]): Promise<number> {
  // Ctrl-C is for the program in the box.
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  try {
    return await endOf(startSsh(files, args, 'inherit'));
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

// git on this machine, its words on the tool's own streams.
import { spawn } from 'node:child_process';
import type { CliContext } from '../lib/context.ts';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';

/** Resolves with git's exit code. @throws CliError where there is no git */
export async function runGit(context: CliContext, args: readonly string[]): Promise<number> {
  const child = spawn('git', args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...context.env } });
  child.stdout.on('data', (piece: Buffer) => context.stderr.write(piece));
  child.stderr.on('data', (piece: Buffer) => context.stderr.write(piece));
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new CliError('git is not installed here. Install it, then try again.', EXIT.failure, { cause: error })));
    child.once('close', (code) => resolve(code ?? EXIT.failure));
  });
}

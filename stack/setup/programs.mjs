// Runs a program of the set-up and turns what goes wrong into a sentence that says what to do.
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';

/** An error whose message is all the user needs: printed without a stack. */
export class UserError extends Error {}

/**
 * Resolves when the program ends with 0; rejects with the last lines it printed. Aborting ends its whole
 * process group.
 */
export function runProgram(command, args, { env, cwd, onLine, signal } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const last = [];
    const stop = () => {
      if (child.pid === undefined) return; // it never started
      try {
        process.kill(-child.pid, 'SIGTERM');
      } catch {} // it has ended
    };
    signal?.addEventListener('abort', stop, { once: true });
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        if (/^npm (http|warn)/.test(line)) return onLine?.(line);
        last.push(line);
        if (last.length > 20) last.shift();
        onLine?.(line);
      });
    }
    child.once('error', (error) => reject(error.code === 'ENOENT' ? new UserError(`${command} is not installed.`) : error));
    child.once('close', (code, killedBy) => {
      signal?.removeEventListener('abort', stop);
      if (code === 0) resolve();
      else if (signal?.aborted) reject(new UserError('Interrupted. Run it again and it goes on.'));
      else reject(new UserError(`${command} ${args[0] ?? ''} failed (${killedBy ?? code}).${advice(last)}\n${last.join('\n')}`));
    });
  });
}

/**
 * True where `command --version` (or its like) can be run: a shim on the PATH whose program is missing does
 * not count.
 */
export function isOnPath(command, env) {
  const { error, status } = spawnSync(command, [command === 'go' ? 'version' : '--version'], { env, stdio: 'ignore' });
  return error === undefined && status === 0;
}

/** What to do about the failures that have one known cause; empty for the others. */
export function advice(lines) {
  const text = lines.join('\n');
  const known = [
    [/ENOSPC|no space left on device/i, 'The disk is full: free some space (df -h shows where), then run this again.'],
    [
      /EAI_AGAIN|ENOTFOUND|ETIMEDOUT|ECONNREFUSED|ENETUNREACH|no such host|Temporary failure (in name )?resolv|network is unreachable|Could not resolve|Could not connect|i\/o timeout/i,
      'There is no way to the network: check the connection (and HTTPS_PROXY where you need one), then run this again.',
    ],
    [/EACCES|permission denied/i, 'A file may not be written: check who owns it (an earlier run as another user?), then run this again.'],
    [
      /could not get lock|is another process using it|Unable to acquire the dpkg/i,
      'Another package installation is running: let it finish, then run this again.',
    ],
  ];
  const match = known.find(([pattern]) => pattern.test(text));
  return match ? ` ${match[1]}` : '';
}

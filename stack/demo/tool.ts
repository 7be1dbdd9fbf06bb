// The command line tool, run as a user runs it, against this stack.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { baseUrl } from '../environment.ts';
import type { Settings } from '../settings.ts';

/** @param token of whom it acts for; absent: of who signed in by it */
export function commandLineTool(settings: Settings, token?: string) {
  const tools = join(settings.repository, 'cli', 'bin');
  const PATH = `${tools}:${settings.inherited.PATH ?? ''}`;
  const env = {
    ...settings.inherited,
    PATH,
    SVC_API_URL: baseUrl(settings),
    SVC_STATE_DIR: settings.stateDir,
    ...(token !== undefined && { SVC_TOKEN: token }),
  };
  const start = (args: string[], stdout: 'inherit' | 'pipe' | 'ignore', stderr: 'inherit' | 'pipe' | 'ignore' = 'inherit') => {
    const child = spawn(process.execPath, [join(tools, 'svc'), ...args], {
      cwd: settings.repository,
      env,
      stdio: ['ignore', stdout, stderr],
    });
    const ended = new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve(code ?? 1));
    });
    return { child, ended };
  };
  const succeed = async (args: string[], ended: Promise<number>) => {
    const code = await ended;
    if (code !== 0) throw new Error(`svc ${args.slice(0, 2).join(' ')} ended with ${code}. Correct that, then run npm run demo again: it continues here.`);
  };
  return {
    /** Shows what it prints; rejects unless it succeeds. */
    run: (...args: string[]): Promise<void> => succeed(args, start(args, 'inherit').ended),
    /** Shows what it says only when it fails; rejects then. */
    quietly: async (...args: string[]): Promise<void> => {
      const { child, ended } = start(args, 'ignore', 'pipe');
      const errorOutput = child.stderr === null ? '' : await text(child.stderr);
      if ((await ended) !== 0) process.stderr.write(errorOutput);
      await succeed(args, ended);
    },
    /** Whether it succeeds; shows nothing. */
    succeeds: async (...args: string[]): Promise<boolean> => (await start(args, 'ignore', 'ignore').ended) === 0,
    /** What it prints on standard output. */
    read: async (...args: string[]): Promise<string> => {
      const { child, ended } = start(args, 'pipe');
      const output = child.stdout === null ? '' : text(child.stdout);
      await succeed(args, ended);
      return output;
    },
  };
}

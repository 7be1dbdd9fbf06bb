// What the HTTP benchmarks share: parts in processes of their own, wrk, medians.
import { fork, type ChildProcess } from 'node:child_process';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { median, printRatio } from './ratio.ts';

const run = promisify(execFile);

export interface BenchPart {
  url: string;
  stop(): Promise<void>;
}

/** Runs the benchmark's own file again as one of its parts; the part sends its address when it listens. */
export async function startPart(file: string, role: string, env: Record<string, string> = {}): Promise<BenchPart> {
  const child: ChildProcess = fork(file, [role], { env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [url] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => Promise.reject(new Error(`${role} ended before it listened`)))]);
  return {
    url: String(url),
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

export interface LoadOptions {
  connections: number;
  seconds: number;
  headers?: Record<string, string>;
}

/** Requests a second; throws when any answer was not 2xx. */
export async function load(url: string, { connections, seconds, headers = {} }: LoadOptions): Promise<number> {
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const { stdout } = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', ...lines, url]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url}: ${stdout}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}

/**
 * Rounds in turn, so that a noisy moment hits both; prints the medians and the share, with its spread over
 * the rounds.
 */
export async function compareInterleaved(
  name: string,
  peer: string,
  { rounds, target }: { rounds: number; target: number },
  once: (name: string) => Promise<number>,
): Promise<void> {
  const seen: { peer: number; ours: number }[] = [];
  for (let round = 0; round < rounds; round++) seen.push({ peer: await once(peer), ours: await once('ours') });
  const shares = seen.map(({ peer: theirs, ours }) => (100 * ours) / theirs);
  const rate = (of: 'peer' | 'ours'): string => median(seen.map((round) => round[of])).toFixed(1);
  process.stdout.write(`${peer} ${rate('peer')} requests/s, ours ${rate('ours')} (medians of ${rounds})\n`);
  printRatio({ name: `${name}, of ${peer}`, ratio: median(shares), unit: '%', spread: [Math.min(...shares), Math.max(...shares)], target });
}

/** `of` in hundredths. */
export function percentile(values: readonly number[], of: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * of) / 100))] ?? Number.NaN;
}

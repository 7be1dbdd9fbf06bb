// For tests and benchmarks: a real host process over a folder of its own.
import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { hostRuntime } from '#drivers/runtime/client.ts';
import type { AgentRuntime } from '#drivers/runtime/port.ts';

export const cacheDir = cacheFolder(process.env);

export interface TestHost {
  stateDir: string;
  runtime: AgentRuntime;
  pid: number;
  log(): Promise<string>;
  /** kill -9; machines stay. */
  kill(): Promise<void>;
  /** SIGTERM; machines are suspended. */
  stop(): Promise<void>;
  /**
   * Kills the process and starts it again over the same folder, from now on with these changes to its
   * environment.
   */
  restart(change?: Record<string, string>): Promise<void>;
  /** Ends every instance, the process and the folder. */
  end(): Promise<void>;
}

export async function testHost(environment: Record<string, string> = {}): Promise<TestHost> {
  const stateDir = await mkdtemp(join(tmpdir(), 'svc-host-'));
  const socketPath = join(stateDir, 'run/host.sock');
  const runtime = hostRuntime({ socketPath });
  let child = await startHost(stateDir, environment);
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await exit;
  };
  return {
    stateDir,
    runtime,
    get pid() {
      return child.pid ?? 0;
    },
    log: () => readFile(join(stateDir, 'host.log'), 'utf8'),
    kill: () => stop('SIGKILL'),
    stop: () => stop('SIGTERM'),
    async restart(change = {}) {
      await stop('SIGKILL');
      Object.assign(environment, change);
      child = await startHost(stateDir, environment);
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) child = await startHost(stateDir, environment);
      await runtime.keepOnly({ instances: [], images: [] });
      await stop('SIGTERM');
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}

async function startHost(stateDir: string, environment: Record<string, string>): Promise<ChildProcess> {
  // Hosts share the snapshots that they make at their start; what sandboxes start from is each host's own.
  const quiet = { SVC_SANDBOX_PREPARE_SECONDS: '1000000' };
  const env = { ...process.env, ...quiet, SVC_STATE_DIR: stateDir, SVC_CACHE_DIR: cacheDir, ...environment };
  const program = join(import.meta.dirname, '../main.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const log = createWriteStream(join(stateDir, 'host.log'), { flags: 'a' });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => log.write(chunk));
  child.once('close', () => log.end());
  await new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes('"listening"')) resolve();
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.once('exit', (code) => reject(new Error(`the host ended with ${code}: ${output}`)));
  });
  return child;
}

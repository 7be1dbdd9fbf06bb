// A host for tests and benchmarks in this process, over a folder of its own, spoken to through its socket like any other.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../../microvm/engine.ts';
import { localImages } from '../../microvm/images/aliases.ts';
import { makeLayer } from '../../microvm/images/layer.ts';
import type { Machine, MicroVmEngine } from '../../microvm/port.ts';
import { createToolchains } from '../../runtime/build/toolchains.ts';
import { createHost } from '../../runtime/host/host.ts';
import { defaultBuild, defaultLimits, defaultSleep } from '../../runtime/host/options.ts';
import { createSandboxImages } from '../../runtime/host/sandbox/images.ts';
import { createImageStore, defaultStore } from '../../runtime/host/sandbox/oci.ts';
import { defaultSandboxes, type SandboxSettings } from '../../runtime/host/sandbox/options.ts';
import { runtimeImages, sdkFolder } from '../../runtime/images.ts';
import { cacheDir, uniqueId } from '../../runtime/test/support.ts';
import { hostSandbox } from '../client.ts';
import type { SandboxCreate, SandboxExecResult, SandboxFile, SandboxRuntime } from '../port.ts';

export interface SandboxHost {
  runtime: SandboxRuntime;
  stateDir: string;
  /** What the host said of itself. */
  log: Record<string, unknown>[];
  /** Its newest machine, for tests that are root of a guest: sandboxes offer no way to become it. */
  newestMachine(): Machine;
  end(): Promise<void>;
}

export async function sandboxHost(
  change: Partial<SandboxSettings> & { plainRegistries?: string[]; controlPlane?: string; maxUnpackedBytes?: number } = {},
): Promise<SandboxHost> {
  const { plainRegistries = [], controlPlane, maxUnpackedBytes = defaultStore.maxUnpackedBytes, ...settings } = change;
  const stateDir = await mkdtemp(join(tmpdir(), 'svc-sandbox-'));
  const images = await runtimeImages({ cacheDir });
  const lines: Record<string, unknown>[] = [];
  const log = (fields: Record<string, unknown>): void => void lines.push(fields);
  const registries = [...defaultStore.registries, ...plainRegistries];
  const engine = createEngine({ cacheDir, images });
  const machines: Machine[] = [];
  const clone: MicroVmEngine['clone'] = async (template, spec) => {
    const machine = await engine.clone(template, spec);
    machines.push(machine);
    return machine;
  };
  const store = createImageStore({ ...defaultStore, dir: join(stateDir, 'oci'), registries, plainRegistries, maxUnpackedBytes, log });
  const host = await createHost({
    stateDir,
    cacheDir,
    engine: { ...engine, clone },
    base: images.base,
    makeLayer,
    tools: createToolchains(cacheDir),
    sdkDir: () => sdkFolder(cacheDir),
    egress: { services: {}, ...(controlPlane === undefined ? {} : { controlPlane }) },
    build: { ...defaultBuild, egressHosts: [] },
    sleep: defaultSleep,
    limits: defaultLimits(8_192),
    sandboxes: {
      ...defaultSandboxes,
      prepareAfterMs: 1e9,
      spares: 0,
      idleWithinMs: 1_000,
      ...settings,
      images: settings.images ?? createSandboxImages(localImages(images), store),
    },
    log,
  });
  return {
    runtime: hostSandbox({ socketPath: host.socketPath }),
    stateDir,
    log: lines,
    newestMachine() {
      const machine = machines.at(-1);
      if (machine === undefined) throw new Error('this host has made no machine yet');
      return machine;
    },
    async end() {
      await host.close({ suspend: true });
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}

export const sandboxInput = (change: Partial<SandboxCreate> = {}): SandboxCreate => ({
  sandbox_id: uniqueId('x'),
  image: 'python:3.11-slim',
  memory_mib: 512,
  cpus: 1,
  egress: [],
  env: {},
  idle_ms: 600_000,
  ...change,
});

const never = new AbortController().signal;

export function run(runtime: SandboxRuntime, id: string, command: string, args: string[] = [], timeout_ms = 60_000): Promise<SandboxExecResult> {
  return runtime.exec(id, { command, args, timeout_ms }, never);
}

/** As the platform runs scripts: on standard input, so that no quoting is involved. */
export function shell(runtime: SandboxRuntime, id: string, script: string, timeout_ms = 60_000): Promise<SandboxExecResult> {
  return runtime.exec(id, { command: '/bin/sh', args: ['-s'], stdin: Buffer.from(script), timeout_ms }, never);
}

export async function* filesOf(files: Record<string, string | Uint8Array>): AsyncGenerator<SandboxFile> {
  for (const [path, content] of Object.entries(files)) yield { path, content: typeof content === 'string' ? Buffer.from(content) : content };
}

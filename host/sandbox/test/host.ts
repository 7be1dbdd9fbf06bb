// A host for tests and benchmarks in this process, over a folder of its own, spoken to through its socket
// like any other.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../../microvm/engine.ts';
import { localImages } from '../../microvm/images/aliases.ts';
import { makeLayer } from '../../microvm/images/layer.ts';
import type { Machine, MicroVmEngine } from '../../microvm/port.ts';
import { createToolchains } from '../../build/toolchains.ts';
import { createHost } from '../../host.ts';
import { defaultBuild, defaultLimits, defaultSleep } from '../../options.ts';
import { createSandboxImages } from '../images.ts';
import { createImageStore, defaultStore } from '../oci.ts';
import { defaultSandboxes, type SandboxSettings } from '../options.ts';
import { runtimeImages, sdkFolder } from '../../images/images.ts';
import { cacheDir } from '../../test/support.ts';
import { hostSandbox } from '#drivers/sandbox/client.ts';
import type { SandboxRuntime } from '#drivers/sandbox/port.ts';

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
  const engine = createEngine({ cacheDir, images: () => images });
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
    base: () => images.base,
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
      images: settings.images ?? createSandboxImages(() => localImages(images), store),
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

// A host with dev boxes for tests and benchmarks: in this process, over a folder of its own, spoken to through its socket.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildEgress } from '../../build/registry.ts';
import { createToolchains } from '../../build/toolchains.ts';
import { createHost, type Host } from '../../host.ts';
import { runtimeImages, sdkFolder } from '../../images/images.ts';
import { createEngine } from '../../microvm/engine.ts';
import { makeLayer } from '../../microvm/images/layer.ts';
import { defaultBuild, defaultLimits, defaultSleep } from '../../options.ts';
import { cacheDir } from '../../test/support.ts';
import { ensureBoxDisk } from '../image.ts';
import { type BoxSettings, defaultBoxes } from '../options.ts';
import { hostBoxes } from '#drivers/box/client.ts';
import type { BoxRuntime } from '#drivers/box/port.ts';
import { openSshKeys } from '#contract/crypto/openssh.ts';

export interface BoxHost {
  boxes: BoxRuntime;
  socketPath: string;
  stateDir: string;
  log: Record<string, unknown>[];
  /** Another process over the same folder. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

export async function boxHost(change: Partial<BoxSettings> = {}): Promise<BoxHost> {
  const stateDir = await mkdtemp(join(tmpdir(), 'svc-box-'));
  const images = await runtimeImages({ cacheDir });
  const builds = await buildEgress(undefined);
  const lines: Record<string, unknown>[] = [];
  const log = (fields: Record<string, unknown>): void => void lines.push(fields);
  const start = (): Promise<Host> =>
    createHost({
      stateDir,
      cacheDir,
      engine: createEngine({ cacheDir, images }),
      base: images.base,
      makeLayer,
      tools: createToolchains(cacheDir),
      sdkDir: () => sdkFolder(cacheDir),
      egress: { services: {} },
      build: { ...defaultBuild, egressHosts: [] },
      sleep: defaultSleep,
      limits: defaultLimits(8_192),
      boxes: {
        ...defaultBoxes,
        disk: async (say) => ensureBoxDisk(cacheDir, await sdkFolder(cacheDir), say),
        egressHosts: builds.hosts,
        registry: builds.registry,
        pythonIndex: builds.pythonIndex,
        caFile: process.env['NODE_EXTRA_CA_CERTS'] ?? process.env['SSL_CERT_FILE'],
        ...change,
      },
      log,
    });
  let host = await start();
  return {
    boxes: hostBoxes({ socketPath: host.socketPath }),
    socketPath: host.socketPath,
    stateDir,
    log: lines,
    async restart() {
      await host.close();
      host = await start();
    },
    async end() {
      await host.close({ suspend: true });
      await rm(stateDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
    },
  };
}

export const newHostKey = (): { private: string; public: string } => openSshKeys(generateKeyPairSync('ed25519'));

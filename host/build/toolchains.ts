// What a build machine has over the base, by language and its version: nothing for TypeScript on the base's
// Node.
import { join } from 'node:path';
import { packedNode } from '../microvm/images/packed.ts';
import { ensureDebianTools } from '../microvm/images/toolchain.ts';
import { PYTHON_RELEASES } from '#contract/wire/language-version.ts';
import type { BuildLanguage } from '#drivers/runtime/port.ts';
import { ensureNode } from './node/release.ts';
import { ensurePythonDisk } from './python/disk.ts';
import { ensureInterpreter } from './python/interpreter.ts';
import { ensureWheels } from './python/wheels.ts';

export type Toolchain = 'node' | 'python' | 'go' | 'rust';
export const toolchainOf = (language: BuildLanguage): Toolchain => (language === 'typescript' || language === 'javascript' ? 'node' : language);

export interface Wanted {
  toolchain: Toolchain;
  /** Of its Python or Node; undefined: the base image's. */
  version?: string | undefined;
}

export interface Tools {
  /** Path of the disk. */
  disk?: string;
  /** Folder that is added to the root of the agent's layer. */
  adds?: string;
  /** e.g. `Python 3.13.5`; absent for compiled programs. */
  runsOn?: string;
}

/** Made on first use. */
export type EnsureTools = (wanted: Wanted, say: (text: string) => void) => Promise<Tools>;

/**
 * Go's standard library as static programs need it, compiled here at full speed: in the emulated guest it
 * would take minutes.
 */
const GO_STANDARD_LIBRARY = `chroot "$1" sh -ec 'mkdir -p /opt/go-cache && CGO_ENABLED=0 GOCACHE=/opt/go-cache GOFLAGS=-trimpath HOME=/root go build std && rm -rf /usr/lib/go-*/pkg/linux_amd64 && chmod -R a+rwX /opt/go-cache'`;

/** @param pythonList see ensureInterpreter */
export function createToolchains(cacheDir: string, pythonList?: string): EnsureTools {
  const dir = join(cacheDir, 'microvm');
  return async ({ toolchain, version }, say) => {
    switch (toolchain) {
      case 'node':
        return version === undefined ? { runsOn: `Node ${packedNode().from.split('@')[1]}` } : ensureNode(dir, version, say);
      case 'python': {
        if (version === undefined) return { disk: await ensurePythonDisk(cacheDir, say), runsOn: `Python ${PYTHON_RELEASES['3.11']}` };
        const other = await ensureInterpreter(dir, version, await ensureWheels(dir, version, say), say, pythonList);
        return { disk: await ensurePythonDisk(cacheDir, say, other), adds: other.tree, runsOn: `Python ${other.version}` };
      }
      case 'go':
        return { disk: await ensureDebianTools(dir, { name: 'go', packages: ['golang-go'], hooks: [GO_STANDARD_LIBRARY] }, say) };
      case 'rust':
        return { disk: await ensureDebianTools(dir, { name: 'rust', packages: ['cargo-web', 'rustc-web'] }, say) };
    }
  };
}

// What a build machine has over the base, by language: nothing for TypeScript, whose tools are in the base.
import { join } from 'node:path';
import { ensureDebianTools } from '../microvm/images/toolchain.ts';
import type { BuildLanguage } from '#drivers/runtime/port.ts';
import { ensurePythonDisk } from './python/disk.ts';

export type Toolchain = 'node' | 'python' | 'go' | 'rust';
export const toolchainOf = (language: BuildLanguage): Toolchain => (language === 'typescript' || language === 'javascript' ? 'node' : language);

/** Path of the disk, made on first use. */
export type EnsureTools = (toolchain: Toolchain, say: (text: string) => void) => Promise<string | undefined>;

/** Go's standard library as static programs need it, compiled here at full speed: in the emulated guest it would take minutes. */
const GO_STANDARD_LIBRARY = `chroot "$1" sh -ec 'mkdir -p /opt/go-cache && CGO_ENABLED=0 GOCACHE=/opt/go-cache GOFLAGS=-trimpath HOME=/root go build std && rm -rf /usr/lib/go-*/pkg/linux_amd64 && chmod -R a+rwX /opt/go-cache'`;

export function createToolchains(cacheDir: string): EnsureTools {
  const dir = join(cacheDir, 'microvm');
  return async (toolchain, say) => {
    switch (toolchain) {
      case 'node':
        return undefined;
      case 'python':
        return ensurePythonDisk(cacheDir, say);
      case 'go':
        return ensureDebianTools(dir, { name: 'go', packages: ['golang-go'], hooks: [GO_STANDARD_LIBRARY] }, say);
      case 'rust':
        return ensureDebianTools(dir, { name: 'rust', packages: ['cargo-web', 'rustc-web'] }, say);
    }
  };
}

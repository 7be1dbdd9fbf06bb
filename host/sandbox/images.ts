// Which disk an image name means: this host's own images first, else a registry's, pulled once per digest.
import { SandboxError } from '#drivers/sandbox/port.ts';
import { shortName } from '../microvm/images/aliases.ts';
import type { ImageStore } from './oci.ts';
import { parseReference } from './reference.ts';

export interface SandboxImage {
  /** Path of the read-only root file system. */
  disk: string;
  /** The image's own variables. */
  env: Readonly<Record<string, string>>;
}

export interface SandboxImages {
  /** Rejects with image_unknown or image_failed. */
  find(name: string): Promise<SandboxImage>;
}

/** `pulled`: absent where no registry may be asked. */
export function createSandboxImages(local: () => ReadonlyMap<string, string>, pulled?: ImageStore): SandboxImages {
  return {
    async find(name) {
      const disk = local().get(shortName(name));
      if (disk !== undefined) return { disk, env: {} };
      const reference = parseReference(name);
      if (reference === undefined) throw new SandboxError('image_unknown', `"${name.slice(0, 255)}" is no image reference; write one like python:3.11-slim.`);
      try {
        if (pulled === undefined) throw new SandboxError('image_unknown', `No registry is set up on this machine to pull ${name} from.`);
        return await pulled.pull(reference);
      } catch (error) {
        if (!(error instanceof SandboxError) || error.code !== 'image_unknown') throw error;
        throw new SandboxError('image_unknown', `${error.message} Images of this machine: ${[...local().keys()].join(', ')}.`);
      }
    },
  };
}

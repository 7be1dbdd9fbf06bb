// Read-only disks: uncompressed erofs, the same bytes for the same tree.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { run } from './tools.ts';

/** Writes the tree as an erofs image whose files all belong to root. No time or random id gets into it. */
export async function makeErofs(tree: string, out: string): Promise<void> {
  await run('mkfs.erofs', ['--all-root', '-T0', '-U', '00000000-0000-4000-8000-000000000000', out, tree]);
}

/**
 * An application layer from a folder, which becomes the root of the layer. Content hash: `sha256:<hex>` of
 * the image file.
 */
export async function makeLayer(tree: string, out: string): Promise<{ digest: string; sizeBytes: number }> {
  const partial = `${out}.partial`;
  try {
    await makeErofs(tree, partial);
    const hash = createHash('sha256');
    await pipeline(createReadStream(partial), hash);
    const { size } = await stat(partial);
    await rename(partial, out);
    return { digest: `sha256:${hash.digest('hex')}`, sizeBytes: size };
  } finally {
    await rm(partial, { force: true });
  }
}

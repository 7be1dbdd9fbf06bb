// A layer of an OCI image: files of this machine under the paths they get, as one compressed tar, known by
// its digest.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, Stats } from 'node:fs';
import { cp, mkdir, mkdtemp, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { create, Header } from 'tar';

export interface Piece {
  from: string;
  /** Absolute, in the image. */
  to: string;
  /** Leaves these names out of a folder. */
  without?: (path: string) => boolean;
}

export interface Layer {
  /** sha256:… of the compressed bytes, and of the tar itself. */
  digest: string;
  diffId: string;
  size: number;
}

/** Puts the layer into `blobs` (…/blobs/sha256). The same files make the same layer. */
export async function writeLayer(blobs: string, pieces: readonly Piece[]): Promise<Layer> {
  await mkdir(blobs, { recursive: true });
  const stage = await mkdtemp(join(blobs, '..', '..', '.stage-'));
  try {
    const root = join(stage, 'root');
    await mkdir(root);
    for (const { from, to, without } of pieces) {
      const target = join(root, to);
      await mkdir(dirname(target), { recursive: true });
      // Links of this machine lead nowhere in an image.
      await cp(await realpath(from), target, { recursive: true, dereference: true, filter: (path) => !without?.(path) });
    }
    const [tar, packed] = [createHash('sha256'), createHash('sha256')];
    const file = join(stage, 'layer.tar.gz');
    const pack = create({ cwd: root, portable: true, mtime: new Date(0), filter: readable }, ['.']);
    await pipeline(Readable.from(withTemporary(pack)), through(tar), createGzip({ level: 5 }), through(packed), createWriteStream(file));
    const digest = packed.digest('hex');
    await rename(file, join(blobs, digest));
    return { digest: `sha256:${digest}`, diffId: `sha256:${tar.digest('hex')}`, size: (await stat(join(blobs, digest))).size };
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** The user that the agent runs as reads everything, whatever the modes are on this machine. */
function readable(_path: string, entry: object): boolean {
  if (entry instanceof Stats) entry.mode |= 0o444 | (entry.isDirectory() || (entry.mode & 0o100) !== 0 ? 0o111 : 0);
  return true;
}

/**
 * Before the files, the one world-writable folder: the library removes that permission from the files that it
 * packs.
 */
async function* withTemporary(pack: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const header = new Header({ path: 'tmp/', type: 'Directory', mode: 0o1777, uid: 0, gid: 0, size: 0, mtime: new Date(0) });
  header.encode();
  if (header.block) yield header.block;
  yield* pack;
}

function through(hash: ReturnType<typeof createHash>): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
}

/** Whether the file is there and is what its name says. */
export async function isWhole(blob: string): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(blob)) hash.update(chunk);
  } catch {
    return false;
  }
  return hash.digest('hex') === basename(blob);
}

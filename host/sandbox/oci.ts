// Images of registries as disks: copied with skopeo, unpacked with umoci, both as a user that owns nothing,
// then packed read-only. Kept by digest in a folder of bounded size. A tag is asked for again after a day;
// meanwhile it means what it meant.
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { cached, hashOf } from '../microvm/images/cache.ts';
import { makeErofs } from '../microvm/images/layer.ts';
import { findCommand, run } from '../microvm/images/tools.ts';
import { SandboxError } from '#drivers/sandbox/port.ts';
import { parseJson } from '#drivers/runtime/lines.ts';
import { readJson, writeAtomic } from '../resources/files.ts';
import type { SandboxImage } from './images.ts';
import { nameOf, type Reference } from './reference.ts';

export interface ImageStore {
  pull(reference: Reference): Promise<SandboxImage>;
}

export interface ImageStoreOptions {
  dir: string;
  /** Registries that may be asked; any other name could lead anywhere inside the operator's network. */
  registries: readonly string[];
  /** Those of them without TLS. */
  plainRegistries: readonly string[];
  /** Largest image, packed as the registry has it and unpacked. */
  maxPackedBytes: number;
  maxUnpackedBytes: number;
  /** Ceiling of all kept disks. */
  cacheBytes: number;
  pullTimeoutMs: number;
  log(fields: Record<string, unknown>): void;
}

export const defaultStore: Omit<ImageStoreOptions, 'dir' | 'log'> = {
  registries: ['docker.io', 'ghcr.io', 'quay.io', 'gcr.io', 'mcr.microsoft.com', 'public.ecr.aws', 'registry.k8s.io', 'registry.gitlab.com'],
  plainRegistries: [],
  maxPackedBytes: 2_147_483_648,
  maxUnpackedBytes: 6_442_450_944,
  cacheBytes: 21_474_836_480,
  pullTimeoutMs: 600_000,
};

const tagForMs = 86_400_000;
/** Owner of nothing; what unpacks strangers' archives runs as it where we may choose. */
const nobody = 65_534;

const Inspected = z.object({
  Digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  LayersData: z.array(z.object({ Size: z.number() })).default([]),
  Env: z.array(z.string()).nullish(),
});
const ImageRecord = z.object({ digest: z.string(), env: z.record(z.string(), z.string()), at: z.number() });
type ImageRecord = z.infer<typeof ImageRecord>;

export function createImageStore(options: ImageStoreOptions): ImageStore {
  const { dir, log } = options;
  const pulling = new Map<string, Promise<SandboxImage>>();
  const diskOf = (digest: string): string => join(dir, `${digest.slice('sha256:'.length)}.erofs`);
  const workPrefix = `svc-image-${hashOf(dir).slice(0, 8)}-`;
  const swept = sweep(workPrefix);
  const noteOf = (name: string): string => join(dir, 'names', `${hashOf(name)}.json`);

  async function pull(reference: Reference): Promise<SandboxImage> {
    const name = nameOf(reference);
    if (!options.registries.includes(reference.registry))
      throw new SandboxError('image_unknown', `Images of ${reference.registry} are not allowed here; the operator lists registries in SVC_SANDBOX_REGISTRIES.`);
    const known = await readJson(noteOf(name), ImageRecord);
    if (known !== undefined && (reference.digest !== undefined || Date.now() - known.at < tagForMs) && (await exists(diskOf(known.digest)))) {
      await utimes(diskOf(known.digest), new Date(), new Date());
      return { disk: diskOf(known.digest), env: known.env };
    }
    for (const command of ['skopeo', 'umoci'])
      if (findCommand(command) === undefined)
        throw new SandboxError('image_unknown', `${name} is not on this machine, and to pull it needs: sudo apt-get install -y skopeo umoci.`);
    await mkdir(join(dir, 'names'), { recursive: true, mode: 0o755 });
    const plain = options.plainRegistries.includes(reference.registry);
    const imageRecord = await inspect(name, plain);
    await cached(dir, `${imageRecord.digest.slice('sha256:'.length)}.erofs`, (path) => makeDisk(reference, imageRecord.digest, plain, path));
    await writeAtomic(noteOf(name), JSON.stringify(imageRecord));
    await prune(diskOf(imageRecord.digest));
    return { disk: diskOf(imageRecord.digest), env: imageRecord.env };
  }

  async function inspect(name: string, plain: boolean): Promise<ImageRecord> {
    const args = ['--insecure-policy', '--override-os', 'linux', '--override-arch', 'amd64', 'inspect', '--no-tags', `--tls-verify=${String(!plain)}`];
    const text = await asNobody('skopeo', [...args, `docker://${name}`], '/', 60_000).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : '';
      const why = /unauthorized|denied|authentication required/i.test(message) ? 'it is private or does not exist' : /manifest unknown|not found/i.test(message) ? 'the registry does not have it' : 'the registry does not answer'; // prettier-ignore
      log({ msg: 'image_inspect_failed', image: name, error: message });
      throw new SandboxError('image_unknown', `The image ${name} cannot be had: ${why}.`);
    });
    const parsed = Inspected.safeParse(parseJson(text));
    if (!parsed.success) throw new SandboxError('image_failed', `The registry describes ${name} in a way that is not understood.`);
    const packed = parsed.data.LayersData.reduce((sum, layer) => sum + layer.Size, 0);
    if (packed > options.maxPackedBytes) throw tooLarge(name, packed, options.maxPackedBytes);
    const pairs = (parsed.data.Env ?? []).map((pair): [string, string] => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
    const env = Object.fromEntries(pairs.filter(([key, value]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) && value.length < 4_096).slice(0, 50));
    return { digest: parsed.data.Digest, env, at: Date.now() };
  }

  async function makeDisk(reference: Reference, digest: string, plain: boolean, path: string): Promise<void> {
    const began = Date.now();
    const name = `${reference.registry}/${reference.repository}@${digest}`;
    await swept;
    // Not beside its result: the unprivileged tools must be able to get there.
    const work = await mkdtemp(join(tmpdir(), workPrefix));
    try {
      if (process.getuid?.() === 0) await chown(work, nobody, nobody);
      const args = ['--insecure-policy', '--override-os', 'linux', '--override-arch', 'amd64', 'copy', '--quiet', `--src-tls-verify=${String(!plain)}`];
      await asNobody('skopeo', [...args, `docker://${name}`, `oci:${work}/image:it`], work, options.pullTimeoutMs).catch((error: unknown) => {
        log({ msg: 'image_copy_failed', image: name, error: String(error) });
        throw new SandboxError('image_failed', `The image ${nameOf(reference)} could not be pulled whole; try again.`);
      });
      await checkUnpacked(nameOf(reference), join(work, 'image/blobs/sha256'));
      await asNobody('umoci', ['unpack', '--rootless', '--image', `${work}/image:it`, `${work}/bundle`], work, options.pullTimeoutMs).catch(
        (error: unknown) => {
          log({ msg: 'image_unpack_failed', image: name, error: String(error) });
          throw new SandboxError('image_failed', `The image ${nameOf(reference)} could not be unpacked: its layers are broken or unsafe.`);
        },
      );
      const tree = join(work, 'bundle/rootfs');
      await chmod(tree, 0o755);
      // The files belong to root in the guest. Without read permission, mkfs could not read them either.
      await run('chmod', ['-R', 'u+rX', tree]);
      await makeErofs(tree, path);
      await chmod(path, 0o644);
      log({ msg: 'image_pulled', image: name, ms: Date.now() - began });
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }

  /** A few kilobytes may unpack to any size: counted before anything is written. */
  async function checkUnpacked(name: string, blobs: string): Promise<void> {
    let left = options.maxUnpackedBytes;
    for (const blob of await readdir(blobs)) {
      const path = join(blobs, blob);
      const magic = Buffer.alloc(4);
      await pipeline(
        createReadStream(path, { end: 3 }),
        sink((chunk) => void chunk.copy(magic)),
      );
      const unpack = magic.readUInt16BE(0) === 0x1f8b ? createGunzip() : magic.readUInt32LE(0) === 0xfd2fb528 ? createZstdDecompress() : undefined;
      const count = sink((chunk) => {
        left -= chunk.length;
        if (left < 0) throw tooLarge(name, options.maxUnpackedBytes, options.maxUnpackedBytes);
      });
      const work = unpack === undefined ? pipeline(createReadStream(path), count) : pipeline(createReadStream(path), unpack, count);
      await work.catch((error: unknown) => {
        throw error instanceof SandboxError ? error : new SandboxError('image_failed', `A layer of ${name} is broken.`);
      });
    }
  }

  async function prune(keep: string): Promise<void> {
    const disks = (await readdir(dir)).filter((file) => file.endsWith('.erofs'));
    const about = await Promise.all(disks.map(async (file) => ({ path: join(dir, file), ...(await statOf(join(dir, file))) })));
    let total = about.reduce((sum, { size }) => sum + size, 0);
    // A running sandbox keeps its disk open: deleting it frees the space when the sandbox ends.
    for (const { path, size } of about.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (total <= options.cacheBytes) return;
      if (path === keep) continue;
      await rm(path, { force: true });
      total -= size;
    }
  }

  return {
    pull(reference) {
      const name = nameOf(reference);
      const already = pulling.get(name);
      if (already !== undefined) return already;
      const work = pull(reference).finally(() => pulling.delete(name));
      pulling.set(name, work);
      return work;
    },
  };
}

const tooLarge = (name: string, size: number, limit: number): SandboxError =>
  new SandboxError('image_failed', `The image ${name} is too large: ${Math.ceil(size / 1_048_576)} MiB, of ${Math.floor(limit / 1_048_576)} MiB allowed.`);

const sink = (take: (chunk: Buffer) => void): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      try {
        take(chunk);
        done();
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  });

/** What a killed host left half unpacked. */
async function sweep(prefix: string): Promise<void> {
  for (const name of await readdir(tmpdir())) if (name.startsWith(prefix)) await rm(join(tmpdir(), name), { recursive: true, force: true });
}

const exists = (path: string): Promise<boolean> => stat(path).then(() => true, () => false); // prettier-ignore
const statOf = (path: string) => stat(path).then(({ size, mtimeMs }) => ({ size, mtimeMs }), () => ({ size: 0, mtimeMs: 0 })); // prettier-ignore

/** Runs a tool without our rights, environment or credentials; answers its standard output, bounded. */
async function asNobody(command: string, args: string[], cwd: string, timeoutMs: number): Promise<string> {
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'SSL_CERT_FILE'];
  const passed = Object.fromEntries(proxies.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  const child = spawn(findCommand(command) ?? command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { PATH: '/usr/bin:/bin', HOME: cwd, TMPDIR: cwd === '/' ? '/tmp' : cwd, XDG_RUNTIME_DIR: cwd, ...passed },
    ...(process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}),
  });
  let out = '';
  let words = '';
  child.stdout.on('data', (chunk: Buffer) => (out = out.length > 1_048_576 ? out : out + chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (words = (words + chunk.toString()).slice(-2_000)));
  const timer = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), timeoutMs);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => clearTimeout(timer));
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${words.trim()}`);
  return out;
}

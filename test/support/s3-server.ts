// A real S3 server for the conformance suite: versitygw over a folder, built with Go into the tests' cache.
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accepts, freePort } from '#stack/ports.ts';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { withGo } from '#stack/setup/go.mjs';
import { withLock } from '#stack/setup/lock.mjs';

const version = '1.8.0';
const run = promisify(execFile);

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
  const port = await freePort();
  const credentials = { accessKeyId: 'test', secretAccessKey: randomBytes(16).toString('hex') };
  const child = spawn(program, ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', folder], {
    env: { ...process.env, ROOT_ACCESS_KEY: credentials.accessKeyId, ROOT_SECRET_KEY: credentials.secretAccessKey },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said = (said + bytes.toString()).slice(-2_000)));
  while (!(await accepts('127.0.0.1', port))) {
    if (child.exitCode !== null) throw new Error(`the S3 server ended: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  let buckets = 0;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    credentials,
    // A bucket of this server is a folder below its own.
    bucket: async () => {
      const name = `bucket-${(buckets += 1)}`;
      await mkdir(join(folder, name));
      return name;
    },
    close: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Path of its program; compiled the first time on a machine. */
export async function ensureS3Server(): Promise<string> {
  const program = join(cacheFolder(process.env), 'programs', `versitygw-${version}`);
  await withLock(`build ${program}`, async () => {
    const there = await access(program).then(
      () => true,
      () => false,
    );
    if (there) return;
    const draft = `${program}.making`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true });
    await run('go', ['install', '-ldflags=-s -w', `github.com/versity/versitygw/cmd/versitygw@v${version}`], {
      env: { ...withGo(process.env, cacheFolder(process.env)), GOBIN: draft, GOFLAGS: '' },
    });
    await rename(join(draft, 'versitygw'), program);
    await rm(draft, { recursive: true, force: true });
  });
  return program;
}

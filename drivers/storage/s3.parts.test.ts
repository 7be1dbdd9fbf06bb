import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storageConformance } from './conformance.ts';
import { s3Storage, type S3Storage } from './s3.ts';
import { startTestS3, type TestS3 } from '#test/support/s3-server.ts';

describe('S3 storage', () => {
  let server: TestS3;
  let scratchDir: string;
  const made: S3Storage[] = [];
  const make = async (prefix?: string): Promise<S3Storage> => {
    const { endpoint, credentials } = server;
    const storage = s3Storage({ endpoint, credentials, bucket: await server.bucket(), prefix, scratchDir });
    made.push(storage);
    return storage;
  };
  beforeAll(async () => {
    server = await startTestS3();
    scratchDir = await mkdtemp(join(tmpdir(), 'svc-s3-scratch-'));
  });
  afterAll(async () => {
    for (const storage of made) storage.close();
    await server?.close();
    await rm(scratchDir, { recursive: true, force: true });
  });

  storageConformance(() => make('some/prefix'));

  it('an upload that is not what its hash says is refused, and no local file stays', async () => {
    const storage = await make();
    const staged = await storage.stage(Readable.from([Buffer.from('written')]));
    const [file = ''] = await readdir(scratchDir);
    await writeFile(join(scratchDir, file), 'altered');
    await expect(staged.keep('cas/aa/x')).rejects.toThrow();
    expect(await storage.exists('cas/aa/x')).toBe(false);
    await expect(storage.put('objects', Readable.from([{}], { objectMode: true }))).rejects.toThrow(TypeError);
    expect(await readdir(scratchDir)).toEqual([]);
  });

  it('failures do not tell the key they were signed with', async () => {
    const { endpoint } = server;
    const secretAccessKey = 'not-the-right-one';
    const storage = s3Storage({ endpoint, credentials: { accessKeyId: 'test', secretAccessKey }, bucket: await server.bucket(), scratchDir });
    made.push(storage);
    const error: unknown = await storage.put('k', Readable.from([Buffer.from('x')])).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: 10 })).not.toContain(secretAccessKey);
  });
});

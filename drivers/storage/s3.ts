// Objects in a bucket of S3 or a server that speaks it. An upload is spooled to the local scratch folder
// first: then its length and hash are known, one PutObject takes it whole, and the server checks what arrived
// against the hash.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { scratchFolder } from '../scratch/folder.ts';
import { keySegments } from './keys.ts';
import type { ListedStorage, Stored } from './port.ts';
import { spooled } from './spool.ts';

export interface S3Options {
  bucket: string;
  /** Before every key; without a slash at its end. */
  prefix?: string | undefined;
  /** Absent: AWS itself. */
  endpoint?: string | undefined;
  region?: string | undefined;
  /** Absent: as the SDK finds them (environment, profile, the machine's role). */
  credentials?: { accessKeyId: string; secretAccessKey: string } | undefined;
  /** Local folder for uploads in flight. */
  scratchDir: string;
}

const UPLOAD_REPEATS = 2;

export interface S3Storage extends ListedStorage {
  close(): void;
}

class ObjectMissing extends Error {
  readonly code = 'ENOENT';
  constructor(key: string) {
    super(`there is no object ${key}`);
    this.name = 'ObjectMissing';
  }
}

export function s3Storage(o: S3Options): S3Storage {
  const client = new S3Client({
    region: o.region ?? 'us-east-1',
    ...(o.endpoint === undefined ? {} : { endpoint: o.endpoint, forcePathStyle: true }),
    ...(o.credentials === undefined ? {} : { credentials: o.credentials }),
    // Ours is given with each upload; servers other than Amazon's do not know the default one.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // What goes wrong reaches the caller as an error; the SDK would print it too.
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
  // "@" as on disk: servers that keep objects as files cannot have "a" beside "a/b" either.
  const before = o.prefix ? `${o.prefix}/` : '';
  const at = (key: string) => ({ Bucket: o.bucket, Key: `${before}${keySegments(key).join('/')}@` });

  const upload = async (key: string, file: string, { size_bytes, sha256 }: Stored): Promise<void> => {
    const place = at(key);
    const ChecksumSHA256 = Buffer.from(sha256, 'hex').toString('base64');
    const send = async (left: number): Promise<void> => {
      const body = size_bytes === 0 ? new Uint8Array() : createReadStream(file);
      try {
        await client.send(new PutObjectCommand({ ...place, Body: body, ContentLength: size_bytes, ChecksumSHA256 }));
      } catch (error) {
        // The SDK repeats requests, but not those whose body is a stream.
        if (left === 0 || isRefusal(error)) throw error;
        await send(left - 1);
      } finally {
        if (body instanceof Readable) body.destroy();
      }
    };
    await send(UPLOAD_REPEATS);
  };
  const size = async (key: string): Promise<number | undefined> => {
    try {
      return (await client.send(new HeadObjectCommand(at(key)))).ContentLength ?? 0;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };

  return {
    ...spooled(scratchFolder(o.scratchDir), upload),
    get: async (key, range) => {
      const place = at(key);
      // An empty object has no range.
      const Range = range && `bytes=${range.start}-${range.end}`;
      try {
        const { Body } = await client.send(new GetObjectCommand({ ...place, ...(Range ? { Range } : {}) }));
        if (!(Body instanceof Readable)) throw new Error('the object store answered without a body');
        return Body;
      } catch (error) {
        if (isMissing(error)) throw new ObjectMissing(key);
        throw error;
      }
    },
    size,
    exists: async (key) => (await size(key)) !== undefined,
    delete: async (key) => void (await client.send(new DeleteObjectCommand(at(key)))),
    async *list(folder) {
      const Prefix = `${before}${keySegments(folder).join('/')}/`;
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: o.bucket, Prefix }))
        for (const { Key = '' } of Contents) if (Key.endsWith('@')) yield Key.slice(before.length, -1);
    },
    close: () => client.destroy(),
  };
}

function quiet(): void {}

/** Said no, and would again; anything else may have been a broken connection or a server in trouble. */
function isRefusal(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$fault === 'client';
}

/** HeadObject's refusal has no body, so its name is the status's. */
function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && (error.name === 'NoSuchKey' || error.name === 'NotFound');
}

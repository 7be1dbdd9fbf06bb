// Where objects are kept, as the environment says it: on disk, or `STORAGE_URL=s3://bucket/prefix`.
import { z } from 'zod';
import type { S3Options } from './s3.ts';

/** Members of a process's environment schema. */
export const storageVariables = {
  /** `s3://bucket` or `s3://bucket/prefix`; absent: files below the state folder. */
  STORAGE_URL: z
    .string()
    .regex(/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[a-z0-9._-]+)*\/?$/, 'use s3://bucket or s3://bucket/prefix')
    .optional(),
  /** Of a server other than Amazon's. */
  S3_ENDPOINT: z.url().optional(),
  S3_REGION: z.string().min(1).optional(),
  /** Absent: the AWS SDK's own ways (AWS_* variables, profile, role of the machine). */
  S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
};
type Variables = z.output<z.ZodObject<typeof storageVariables>>;

export type S3Configuration = Omit<S3Options, 'scratchDir'>;

/** Undefined: the disk. @throws when only one half of the S3 key is there */
export function s3Configuration(env: Variables): S3Configuration | undefined {
  if (env.STORAGE_URL === undefined) return undefined;
  const [bucket = '', ...rest] = env.STORAGE_URL.slice('s3://'.length).split('/');
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) throw new Error('Set both S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or neither');
  return {
    bucket,
    prefix: rest.filter((part) => part !== '').join('/') || undefined,
    endpoint: env.S3_ENDPOINT,
    region: env.S3_REGION,
    credentials: accessKeyId !== undefined && secretAccessKey !== undefined ? { accessKeyId, secretAccessKey } : undefined,
  };
}

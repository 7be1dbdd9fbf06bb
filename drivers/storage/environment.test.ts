import { expect, test } from 'vitest';
import { z } from 'zod';
import { s3Configuration, storageVariables } from './environment.ts';

const read = (env: Record<string, string>) => s3Configuration(z.object(storageVariables).parse(env));

test('without STORAGE_URL the disk is used', () => {
  expect(read({ S3_REGION: 'eu-central-1' })).toBeUndefined();
});

test('a bucket with or without a prefix, and where it is', () => {
  expect(read({ STORAGE_URL: 's3://files' })).toMatchObject({ bucket: 'files', prefix: undefined, credentials: undefined });
  expect(
    read({ STORAGE_URL: 's3://files/svc/live/', S3_ENDPOINT: 'http://127.0.0.1:9', S3_REGION: 'r', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'key' }),
  ).toEqual({ bucket: 'files', prefix: 'svc/live', endpoint: 'http://127.0.0.1:9', region: 'r', credentials: { accessKeyId: 'id', secretAccessKey: 'key' } });
});

test('half a key is refused, and the message does not repeat it', () => {
  expect(() => read({ STORAGE_URL: 's3://files', S3_SECRET_ACCESS_KEY: 'do-not-tell' })).toThrow(/^(?!.*do-not-tell).*S3_ACCESS_KEY_ID/);
  expect(() => read({ STORAGE_URL: 'https://files' })).toThrow('s3://bucket');
});

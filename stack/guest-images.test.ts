import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeImage, guestImages } from './guest-images.ts';
import { cacheFolder } from './setup/folders.mjs';

test('an old image names the command that brings a newer one; before set-up there is nothing to say', async () => {
  const kernel = { part: 'guest kernel', version: '6.1.192-2', of: '2026-11-16', age_days: 30 } as const;
  expect(describeImage(kernel)).toBe('guest kernel 6.1.192-2, of 2026-11-16, 30 days old');
  expect(describeImage({ ...kernel, age_days: 31 })).toBe('guest kernel 6.1.192-2, of 2026-11-16, 31 days old: `npm run refresh` brings what is newer');
  const empty = mkdtempSync(join(tmpdir(), 'svc-no-images-'));
  try {
    expect(await guestImages(empty)).toEqual([]);
  } finally {
    rmSync(empty, { recursive: true });
  }
});

test("this machine's images say what they are of", async () => {
  expect(await guestImages(cacheFolder(process.env))).toEqual([
    { part: 'guest kernel', version: expect.stringMatching(/^\d+\.\d+\.\d+-\d/), of: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), age_days: expect.any(Number) },
    { part: 'base image', version: expect.stringMatching(/^Debian 12\.\d+$/), of: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), age_days: expect.any(Number) },
  ]);
});

import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimUid, releaseUid } from './uid.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-uid-test-'));
  for (const name of ['a', 'b', 'c']) await mkdir(join(root, name));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const claim = (name: string) => claimUid(join(root, name), join(root, 'claims'));

describe.runIf(process.getuid?.() === 0)('users of machines', () => {
  it('are one per folder, also when many ask at once', async () => {
    const uids = await Promise.all(['a', 'b', 'c'].map(claim));
    expect(new Set(uids).size).toBe(3);
    expect(await claim('b')).toBe(uids[1]);
  });

  it('are free again once released or once their folder is gone', async () => {
    const [a, b] = [await claim('a'), await claim('b')];
    await releaseUid(a, join(root, 'claims'));
    expect(await claim('c')).toBe(a);
    await rm(join(root, 'b'), { recursive: true });
    expect(await claim('a')).toBe(b);
    expect(await readFile(join(root, 'claims', String(b)), 'utf8')).toBe(join(root, 'a'));
  });
});

describe.runIf(process.getuid?.() !== 0)('without root', () => {
  it('machines run as their owner', async () => {
    expect(await claim('a')).toBeUndefined();
  });
});

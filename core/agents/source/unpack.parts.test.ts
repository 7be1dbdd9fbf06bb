import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip, gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { create } from 'tar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BadRequest, PayloadTooLarge } from '../../kernel/errors.ts';
import { defaultSourceLimits, type SourceLimits } from './limits.ts';
import { endMark, rawEntry, rawPax, rawTar, type RawEntry } from './tar-fixture.ts';
import { unpackSource } from './unpack.ts';

let box: string;
beforeEach(async () => void (box = await mkdtemp(join(tmpdir(), 'svc-unpack-'))));
afterEach(async () => rm(box, { recursive: true, force: true }));

const folder = (): string => join(box, 'project');
/** In pieces of odd lengths, as a network gives them. */
function arriving(bytes: Buffer, piece = 1_000): Readable {
  return Readable.from(Array.from({ length: Math.ceil(bytes.length / piece) }, (_, n) => bytes.subarray(n * piece, (n + 1) * piece)));
}
const unpack = (bytes: Buffer, limits?: Partial<SourceLimits>) => unpackSource(arriving(bytes), folder(), { ...defaultSourceLimits, ...limits });

async function refused(bytes: Buffer, code: string, limits?: Partial<SourceLimits>): Promise<void> {
  await expect(unpack(bytes, limits)).rejects.toMatchObject({ code });
  expect(await readdir(box), 'nothing is left').toEqual([]);
}
const agent: RawEntry = { path: 'svc.yaml', body: 'name: a\n' };

async function project(files: Record<string, string | Buffer>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'svc-project-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content, { mode: name.endsWith('.sh') ? 0o755 : 0o644 });
  }
  return root;
}

describe('unpackSource', () => {
  const files = {
    'svc.yaml': 'name: a\n',
    'package-lock.json': '{}',
    'run.sh': '#!/bin/sh\n',
    'grüße/日本.txt': randomBytes(70_000),
    [`deep/${'long-name-'.repeat(12)}/${'x'.repeat(200)}.txt`]: 'long',
    'empty.txt': '',
  };

  it.each<[string, (root: string) => Promise<Buffer> | Buffer]>([
    ['the tar package', async (root) => create({ cwd: root, gzip: true, portable: true }, ['.']).concat()],
    ['GNU tar', (root) => execFileSync('tar', ['-czf', '-', '-C', root, '.'])],
    ['GNU tar, pax format', (root) => execFileSync('tar', ['--format=pax', '-czf', '-', '-C', root, '.'])],
    [
      'GNU tar, ustar without ./',
      (root) => execFileSync('tar', ['--format=gnu', '-czf', '-', '-C', root, ...Object.keys(files).map((name) => name.split('/')[0] ?? name)]),
    ],
  ])('unpacks what %s makes', async (_name, make) => {
    const root = await project(files);
    try {
      const upload = await make(root);
      const unpacked = await unpack(upload);
      expect(unpacked).toEqual({
        files: 6,
        bytes: Object.values(files).reduce((sum, content) => sum + Buffer.byteLength(content), 0),
        compressedBytes: upload.length,
        sha256: createHash('sha256').update(upload).digest('hex'),
        hasLockfile: true,
      });
      for (const [name, content] of Object.entries(files)) expect(await readFile(join(folder(), name)), name).toEqual(Buffer.from(content));
      expect((await stat(join(folder(), 'run.sh'))).mode & 0o100).toBe(0o100);
      expect((await stat(join(folder(), 'svc.yaml'))).mode & 0o100).toBe(0);
    } finally {
      await rm(root, { recursive: true });
    }
  });

  it.each<[string, RawEntry, string]>([
    ['a symbolic link', { path: 'l', type: '2', link: '/etc/passwd' }, 'source_link'],
    ['a symbolic link inside', { path: 'l', type: '2', link: 'svc.yaml' }, 'source_link'],
    ['a hard link', { path: 'l', type: '1', link: '/etc/passwd' }, 'source_link'],
    ['a character device', { path: 'd', type: '3' }, 'source_special_file'],
    ['a block device', { path: 'd', type: '4' }, 'source_special_file'],
    ['a pipe', { path: 'p', type: '6' }, 'source_special_file'],
    ['a sparse file', { path: 's', type: 'S' }, 'source_unsupported_entry'],
    ['an unknown type', { path: 's', type: 'Q' }, 'source_unsupported_entry'],
    ['a path out', { path: '../out', body: 'x' }, 'source_path_escape'],
    ['a path out from below', { path: 'a/../../out', body: 'x' }, 'source_path_escape'],
    ['".." itself', { path: '..', type: '5' }, 'source_path_escape'],
    ['".." that stays inside', { path: 'a/../b', body: 'x' }, 'source_path_escape'],
    ['an absolute path', { path: '/etc/cron.d/x', body: 'x' }, 'source_path_escape'],
    ['an absolute path by prefix', { path: 'x', prefix: '/etc', body: 'x' }, 'source_path_escape'],
    ['a drive letter', { path: 'C:/x', body: 'x' }, 'source_path_escape'],
    ['a backslash', { path: '..\\x', body: 'x' }, 'source_bad_path'],
    ['a newline', { path: 'a\nb', body: 'x' }, 'source_bad_path'],
    ['an escape sequence', { path: 'a\u001b[31m', body: 'x' }, 'source_bad_path'],
    ['a C1 control', { path: 'a\u0085b', body: 'x' }, 'source_bad_path'],
    ['bytes that are not UTF-8', { path: Buffer.from([0x61, 0xff, 0xfe]), body: 'x' }, 'source_bad_path'],
    ['no name', { path: '', body: 'x' }, 'source_bad_path'],
    ['the top folder as a file', { path: './.', body: 'x' }, 'source_bad_path'],
    ['a git folder', { path: '.git/config', body: 'x' }, 'source_git_folder'],
    ['a disguised git folder', { path: 'a/.G\u200cit/hooks/x', body: 'x' }, 'source_git_folder'],
    ['a git folder by its short name', { path: 'GIT~1/config', body: 'x' }, 'source_git_folder'],
    ['the same path again', { path: './svc.yaml', body: 'x' }, 'source_duplicate_path'],
    ['the same path in other case', { path: 'SVC.yaml', body: 'x' }, 'source_duplicate_path'],
    ['a folder over a file', { path: 'svc.yaml', type: '5' }, 'source_duplicate_path'],
    ['a file below a file', { path: 'svc.yaml/x', body: 'x' }, 'source_duplicate_path'],
    ['deep nesting', { path: 'x', prefix: 'a/'.repeat(40), body: 'x' }, 'source_too_deep'],
    ['a negative size', { path: 'x', size: '\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff' }, 'source_corrupt'],
    ['a size beyond numbers', { path: 'x', size: '\u0080\u0000\u0000\u0000\u007f\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff' }, 'source_corrupt'],
    ['a size that does not exist', { path: 'x', size: 90_000_000, body: 'x' }, 'source_truncated'],
    ['a size over the ceiling', { path: 'x', size: 8_000_000_000, body: 'x' }, 'source_too_large_unpacked'],
  ])('refuses %s', async (_what, entry, code) => {
    await refused(rawTar([agent, entry]), code);
  });

  it('says which entry, in characters that are safe to print, and what to do', async () => {
    await expect(unpack(rawTar([{ path: 'a\u001b[2Jb', type: '2' }]))).rejects.toMatchObject({
      message: expect.stringMatching(/^"a\\u001b\[2Jb": Links are not accepted: /),
    });
  });

  it('refuses names that only normalisation tells apart', async () => {
    await refused(rawTar([agent, { path: 'caf\u00e9' }, { path: 'cafe\u0301' }]), 'source_duplicate_path');
    await refused(rawTar([agent, { path: 'a/x' }, { path: 'A/y' }]), 'source_duplicate_path');
  });

  it('takes repeated folders, which archives have', async () => {
    const unpacked = await unpack(
      rawTar([
        { path: 'a/', type: '5' },
        { path: './a', type: '5' },
        { path: 'a/b/c', body: 'x' },
        { path: 'a/b/', type: '5' },
      ]),
    );
    expect(unpacked.files).toBe(1);
  });

  it('reads pax strictly: what it says is checked as what a header says', async () => {
    await refused(rawTar([rawPax(['path=../out']), { path: 'fine', body: 'x' }]), 'source_path_escape');
    await refused(rawTar([rawPax([`path=${'n'.repeat(256)}`]), { path: 'fine', body: 'x' }]), 'source_bad_path');
    await refused(rawTar([rawPax(['path=a\nb']), { path: 'fine', body: 'x' }]), 'source_bad_path');
    await refused(rawTar([rawPax(['size=99999999999']), { path: 'fine', body: 'x' }]), 'source_too_large_unpacked');
    await refused(rawTar([rawPax(['size=-1']), { path: 'fine', body: 'x' }]), 'source_corrupt');
    await refused(rawTar([rawPax(['GNU.sparse.major=1']), { path: 'fine', body: 'x' }]), 'source_unsupported_entry');
    await refused(rawTar([rawPax(['path=x'], 'g'), { path: 'fine', body: 'x' }]), 'source_unsupported_entry');
    await refused(rawTar([rawEntry({ path: 'p', type: 'x', body: '99 path=x\n' }), { path: 'fine' }]), 'source_corrupt');
    await refused(rawTar([rawEntry({ path: 'p', type: 'x', size: 1_100_000, body: Buffer.alloc(1_100_000) }), agent]), 'source_unsupported_entry');
    // 27 KB of upload, and a tenth of a second of the event loop for each such header.
    await refused(rawTar([rawPax(Array.from({ length: 1_001 }, () => 'a=')), agent]), 'source_corrupt');
    expect((await unpack(rawTar([rawPax(Array.from({ length: 1_000 }, () => 'a=')), agent]))).files).toBe(1);
    await rm(folder(), { recursive: true });
    await refused(rawTar([rawEntry({ path: 'p', type: 'L', body: '../out\0' }), { path: 'fine' }]), 'source_path_escape');
    expect((await unpack(rawTar([rawPax(['comment=x', 'mtime=1.5', 'path=ok.txt', 'size=3']), { path: 'no', body: 'abc', size: 0 }]))).bytes).toBe(3);
    expect(await readdir(folder())).toEqual(['ok.txt']);
    await rm(folder(), { recursive: true });
    // What archivers leave of a long path in the block itself may end with a slash.
    expect(await unpack(rawTar([rawPax([`path=${'long/'.repeat(20)}a.ts`]), { path: 'long/'.repeat(20), body: 'abc' }]))).toMatchObject({ files: 1, bytes: 3 });
  });

  it('bounds the upload, its files and what they unpack to', async () => {
    const noise = rawTar([{ path: 'noise', body: randomBytes(50_000) }]);
    await expect(unpack(noise, { compressedBytes: 40_000 })).rejects.toThrow(PayloadTooLarge);
    await refused(noise, 'source_too_large', { compressedBytes: 40_000 });
    await refused(rawTar([agent, { path: 'a', body: Buffer.alloc(600) }, { path: 'b', body: Buffer.alloc(600) }]), 'source_too_large_unpacked', {
      unpackedBytes: 1_000,
    });
    await refused(rawTar([{ path: 'zeros', body: Buffer.alloc(30_000_000) }]), 'source_bomb');
    await refused(rawTar(Array.from({ length: 12 }, (_, n) => ({ path: `f${n}` }))), 'source_too_many_files', { entries: 10 });
    await refused(rawTar([{ path: 'a/b/c/d', body: 'x' }]), 'source_too_many_files', { entries: 3 });
  });

  it('refuses a million entries after the first few thousand', async () => {
    let given = 0;
    // Made while it is read: what stops early costs little.
    const million = (one: (n: number) => Buffer): Readable =>
      Readable.from(
        (function* () {
          for (given = 0; given < 1_000_000; given += 1) yield one(given);
        })(),
        { objectMode: false },
      ).pipe(createGzip({ level: 1 }));
    const endless = async (one: (n: number) => Buffer, code: string, limits: Partial<SourceLimits>): Promise<void> => {
      await expect(unpackSource(million(one), folder(), { ...defaultSourceLimits, ...limits })).rejects.toMatchObject({ code });
      expect(await readdir(box)).toEqual([]);
      expect(given).toBeLessThan(100_000);
    };
    await endless((n) => rawEntry({ path: `f/${n}` }), 'source_too_many_files', { entries: 1_000 });
    // The same folder over and over makes nothing, and still ends; so do headers that never come to an entry.
    const folderAgain = rawEntry({ path: 'a/', type: '5' });
    await endless(() => folderAgain, 'source_too_many_files', {});
    const nameOnly = rawEntry({ path: 'p', type: 'L' });
    await endless(() => nameOnly, 'source_too_large_unpacked', { entries: 100, unpackedBytes: 1_000_000 });
  });

  it('refuses what is damaged, cut off or not ended', async () => {
    const good = rawTar([agent, { path: 'noise', body: randomBytes(5_000) }]);
    await refused(Buffer.alloc(0), 'source_empty');
    await refused(rawTar([]), 'source_empty');
    await refused(rawTar([{ path: 'only/', type: '5' }]), 'source_empty');
    await refused(Buffer.from('just text'), 'source_not_gzip');
    await refused(Buffer.from('PK\u0003\u0004zip'), 'source_not_gzip');
    await refused(gzipSync('not a tar'), 'source_truncated');
    await refused(gzipSync(Buffer.alloc(512, 'not a tar')), 'source_corrupt');
    await refused(good.subarray(0, -1), 'source_truncated');
    await refused(good.subarray(0, 4_000), 'source_truncated');
    await refused(rawTar([agent], Buffer.alloc(0)), 'source_truncated');
    await refused(Buffer.concat([good, Buffer.from('more')]), 'source_trailing_data');
    await refused(Buffer.concat([good, good]), 'source_trailing_data');
    await refused(Buffer.concat([good, Buffer.alloc(5_000)]), 'source_trailing_data');
    await refused(rawTar([agent], Buffer.concat([endMark, rawEntry({ path: 'hidden' }), endMark])), 'source_trailing_data');
    const flipped = Buffer.from(good);
    flipped.writeUInt8(flipped.readUInt8(3_000) ^ 1, 3_000);
    await refused(flipped, 'source_corrupt');
  });

  it('passes on why an upload broke off, and leaves nothing', async () => {
    const broken = Readable.from(
      (async function* () {
        yield rawTar([agent, { path: 'noise', body: randomBytes(90_000) }]).subarray(0, 50_000);
        throw new Error('connection lost');
      })(),
    );
    await expect(unpackSource(broken, folder())).rejects.toThrow('connection lost');
    expect(existsSync(folder())).toBe(false);
  });

  it('never touches a folder that holds something', async () => {
    await mkdir(folder());
    await writeFile(join(folder(), 'mine'), 'x');
    await expect(unpack(rawTar([agent]))).rejects.toThrow('not empty');
    expect(await readdir(folder())).toEqual(['mine']);
  });

  it('whatever bytes come: a project inside its folder, or a refusal with a code and nothing left', async () => {
    const seed = gunzipSync(
      rawTar([
        rawPax(['path=long/name.txt']),
        { path: 'n', body: 'abc' },
        { path: 'dir/', type: '5' },
        { path: 'dir/x.sh', body: randomBytes(600), mode: 0o755 },
        rawEntry({ path: 'L', type: 'L', body: 'other\0' }),
        { path: 'o', body: 'y' },
      ]),
    );
    const mutation = fc.tuple(fc.nat(seed.length - 1), fc.nat(255));
    const fixChecksums = (bytes: Buffer): Buffer => {
      for (let at = 0; at + 512 <= bytes.length; at += 512) {
        if (bytes.toString('latin1', at + 257, at + 262) !== 'ustar') continue;
        bytes.write('        ', at + 148);
        const sum = bytes.subarray(at, at + 512).reduce((total, byte) => total + byte, 0);
        bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, at + 148);
      }
      return bytes;
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(mutation, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 4_000 }),
        async (mutations, repair, piece) => {
          const bytes = Buffer.from(seed);
          for (const [at, value] of mutations) bytes.writeUInt8(value, at);
          const outcome = await unpackSource(arriving(gzipSync(repair ? fixChecksums(bytes) : bytes), piece), folder()).catch((error: unknown) => error);
          if (outcome instanceof Error) {
            expect(outcome).toBeInstanceOf(BadRequest);
            expect(existsSync(folder())).toBe(false);
          }
          expect((await readdir(box)).filter((name) => name !== 'project')).toEqual([]);
          await rm(folder(), { recursive: true, force: true });
        },
      ),
      { numRuns: 300 },
    );
  });
});

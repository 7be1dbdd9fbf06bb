// The guest's side here is an attacker: its reports about files are junk of every kind.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecOptions, Machine } from '../microvm/port.ts';
import { changedFiles, MAX_FILES } from './workspace.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-workspace-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

function listed(path: string, size: number): Buffer {
  const name = Buffer.from(path);
  const head = Buffer.alloc(24);
  head.writeUInt32LE(name.length, 0);
  head.writeUInt32LE(size, 4);
  return Buffer.concat([head, name]);
}
const sent = (content: string): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(content.length);
  return Buffer.concat([size, Buffer.from(content)]);
};

/** Only what reading files uses of a machine. */
function guest(list: Iterable<Uint8Array>, get: Iterable<Uint8Array> = []): Machine {
  const part: Pick<Machine, 'exec'> = {
    async exec(command: string, _args: string[], options: ExecOptions = {}) {
      for (const piece of command === '!list' ? list : get) {
        if (options.signal?.aborted === true) return 137;
        options.onOutput?.('stdout', piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return 0;
    },
  };
  return part as Machine;
}
function* endless(piece: Uint8Array): Generator<Uint8Array> {
  for (;;) yield piece;
}

describe('files of a guest that lies', () => {
  it('are taken when they are what they say', async () => {
    expect(await changedFiles(guest([listed('a', 2)], [sent('hi')]), dir, 100)).toEqual([{ path: 'a', content: Buffer.from('hi') }]);
  });

  it.each(['../../etc/passwd', '/etc/passwd', 'a/./b', 'a/../../b', 'a\u0000b', 'a\nb', ''])('are left out when their name is %j', async (path) => {
    const machine = guest(path === '' ? [] : [listed(path, 1)], [sent('x')]);
    expect(await changedFiles(machine, dir, 100)).toEqual([]);
  });

  it.each([
    ['a record that breaks off', [Buffer.from('junk')], []],
    ['a path longer than any', [listed('x'.repeat(5_000), 1)], []],
    ['more files than there may be', Array.from({ length: MAX_FILES + 2 }, (_, n) => listed(`f${n}`, 0)), []],
    ['a larger file than it listed', [listed('a', 1)], [sent('x'.repeat(200))]],
    ['a file that breaks off', [listed('a', 50)], [sent('x'.repeat(50)).subarray(0, 20)]],
    ['more than may be read, as listed', [listed('a', 4_000_000_000)], []],
  ])('are refused: %s', async (_name, list, get) => {
    await expect(changedFiles(guest(list, get), dir, 100)).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('are refused when they never end', async () => {
    await expect(changedFiles(guest([listed('a', 10)], endless(sent('x'.repeat(1_000)))), dir, 100)).rejects.toMatchObject({ code: 'bad_request' });
  });
});

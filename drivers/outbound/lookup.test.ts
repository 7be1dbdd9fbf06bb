import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLookup, type Lookup } from './lookup.ts';

const server = createSocket('udp4');
let folder: string;
let lookup: Lookup;
let unanswered = 0;

/** Answers for `quick.…` with an address, for `none.…` that there is none, and for all others never. */
server.on('message', (question, from) => {
  const first = question.toString('latin1', 13, 13 + (question[12] ?? 0));
  if (first !== 'quick' && first !== 'none') return void (unanswered += 1);
  const end = question.indexOf(0, 12) + 5;
  const isA = question.readUInt16BE(end - 4) === 1;
  const head = Buffer.from(question.subarray(0, 12));
  head.writeUInt16BE(first === 'none' ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(first === 'quick' && isA ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  const address = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 7]);
  server.send(Buffer.concat([head, question.subarray(12, end), first === 'quick' && isA ? address : Buffer.alloc(0)]), from.port, from.address);
});

beforeAll(async () => {
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  folder = await mkdtemp(join(tmpdir(), 'svc-names-'));
  const hostsFile = join(folder, 'hosts');
  await writeFile(hostsFile, '# of this machine\n198.51.100.4  here.example.com alias.example.com # comment\n2001:db8::4 here.example.com\n');
  lookup = createLookup({ servers: [`127.0.0.1:${server.address().port}`], hostsFile });
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

test('a name server that never answers delays no other lookup', async () => {
  let over = 0;
  const slow = Array.from({ length: 32 }, (_, n) => lookup(`slow${n}.example.com`).catch(() => (over += 1)));
  await expect.poll(() => unanswered).toBeGreaterThanOrEqual(32);
  expect(await lookup('quick.example.com')).toEqual(['203.0.113.7']);
  expect(over).toBe(0);
  await Promise.all(slow);
  expect(over).toBe(32);
});

test('a name without an address is refused; what the machine itself lists comes first', async () => {
  await expect(lookup('none.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  expect(await lookup('Here.example.com')).toEqual(['198.51.100.4', '2001:db8::4']);
  expect(await lookup('alias.example.com')).toEqual(['198.51.100.4']);
});

test("the operator's names are the system's to find", async () => {
  expect(await lookup('localhost', true)).toContain('127.0.0.1');
});

// What goes to the engine cannot be read there, and comes back as it was; what an older version wrote is read
// as it is.
import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { encryptedPayloads } from './codec.ts';

const key = randomBytes(32);
const codec = encryptedPayloads({ derive: async () => key });
const payloadOf = (value: unknown) => defaultPayloadConverter.toPayload(value);
const valueOf = (payload: Parameters<typeof defaultPayloadConverter.fromPayload>[0]): unknown => defaultPayloadConverter.fromPayload(payload);

test('a payload comes back as it was, and says nothing meanwhile', async () => {
  const value = { answer: 'the doctor said yes', list: [1, null, 'ä'] };
  const [sealed] = await codec.encode([payloadOf(value)]);
  if (!sealed) throw new Error('nothing was sealed');
  expect(Buffer.from(sealed.data ?? []).toString('latin1')).not.toContain('doctor');
  const [opened] = await codec.decode([sealed]);
  expect(opened && valueOf(opened)).toEqual(value);
  const [again] = await codec.encode([payloadOf(value)]);
  expect(Buffer.from(again?.data ?? [])).not.toEqual(Buffer.from(sealed.data ?? []));
});

test('one of an earlier version is read as it is', async () => {
  const plain = payloadOf('as it was');
  expect(await codec.decode([plain])).toEqual([plain]);
});

test('one that was changed, cut off, or sealed elsewhere is refused', async () => {
  const [sealed] = await codec.encode([payloadOf('yes')]);
  const data = Buffer.from(sealed?.data ?? []);
  data[20] = (data[20] ?? 0) ^ 1;
  await expect(codec.decode([{ ...sealed, data }])).rejects.toThrow();
  await expect(codec.decode([{ ...sealed, data: data.subarray(0, 10) }])).rejects.toThrow();
  const elsewhere = encryptedPayloads({ derive: async () => randomBytes(32) });
  await expect(elsewhere.decode(sealed ? [sealed] : [])).rejects.toThrow();
});

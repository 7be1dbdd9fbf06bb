// What `up` says of a machine without KVM: the device that is missing, or that is there and does not work.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isEmulated } from './kvm.ts';

let folder: string;
let accelerator: string;
const host = createServer((_request, response) => response.end(JSON.stringify({ status: 'ok', accelerator })));
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-kvm-'));
  writeFileSync(join(folder, 'kvm'), '');
  await new Promise<void>((resolve) => host.listen(join(folder, 'host.sock'), resolve));
});
afterAll(() => {
  host.close();
  rmSync(folder, { recursive: true });
});

test.for([
  ['kvm', 'kvm', false],
  ['kvm', 'tcg', true],
  ['kvm', 'deciding', false],
  ['missing', 'kvm', true],
] as const)('device %s, and the host says %s: emulated %s', async ([device, said, emulated]) => {
  accelerator = said;
  expect(await isEmulated(join(folder, 'host.sock'), join(folder, device))).toBe(emulated);
});

test('a host that does not answer leaves it to the device', async () => {
  expect(await isEmulated(join(folder, 'none.sock'), join(folder, 'kvm'))).toBe(false);
});

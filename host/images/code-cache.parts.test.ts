// The compiled form of the SDK is of use only where V8 takes it: in a process that is started as agents' are,
// emulated or not. starts: host/guest/code-cache.ts host/guest/emulated.ts
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentProgram } from '../agents/guest-link.ts';
import { packedNode } from '../microvm/images/packed.ts';
import { makeCodeCache } from './code-cache.ts';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'svc-code-cache-'))));
afterAll(() => rm(folder, { recursive: true }));

test.each(['kvm', 'tcg'] as const)("a process that starts as an agent's does under %s loads the SDK by its compiled form", async (accelerator) => {
  const sdk = join(folder, `${accelerator}.cjs`);
  await writeFile(sdk, 'exports.double = (n) => 2 * n;');
  await makeCodeCache(sdk);
  const entry = join(folder, `${accelerator}.mjs`);
  const guest = join(import.meta.dirname, '../guest');
  // As host/guest/agent.ts does: the SDK, then how its code is run.
  await writeFile(
    entry,
    `import { loadByCache } from '${guest}/code-cache.ts';
import { shareCode } from '${guest}/emulated.ts';
import { createRequire } from 'node:module';
const used = loadByCache('${sdk}');
shareCode();
const require = createRequire(import.meta.url);
process.stdout.write(JSON.stringify([used, require('${sdk}').double(21)]));`,
  );
  const { stdout } = await promisify(execFile)(packedNode().path, agentProgram(accelerator, entry));
  expect(JSON.parse(stdout)).toEqual([true, 42]);
});

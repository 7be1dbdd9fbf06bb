// Whoever gets a copy of the host's folders (a backup, a disk that was thrown away) looks for the secrets of
// agents; they have no key.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StartInput } from '#drivers/runtime/port.ts';
import { createRecord, identityOf, loadRecord, recordOf, versionOf, withheldOf } from '#host/agents/record.ts';
import type { Machine } from '#host/microvm/port.ts';
import { openHostKey } from '#host/resources/host-key.ts';
import { createTemplates } from '#host/resources/templates.ts';

const SECRET = 'sk-live-4f9a-own';
const INJECTED = 'Bearer sk-live-4f9a-injected';
const input: StartInput = {
  instance_id: 'ins_1', agent: 'shop', deployment_id: 'dep_1', image: `sha256:${'0'.repeat(64)}`, env: { MODE: 'live' }, secrets: { TOKEN: SECRET },
  inject: [{ host: 'api.test', header: 'authorization', value: INJECTED }], api_key: 'key-of-the-agent', grant_key: 'grant-key', setup_key: 'setup-key',
  resources: { memory_mib: 256, cpu_millis: 100 }, egress: { allow_hosts: [], allow_internal_services: [] },
}; // prettier-ignore
const confidential = { identity: identityOf(input), withheld: withheldOf(input) };
const VALUES = [SECRET, INJECTED, 'key-of-the-agent', 'grant-key', 'setup-key'];

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'svc-at-rest-'))));
afterEach(() => rm(folder, { recursive: true }));
const hostKey = (name = 'host.key') => openHostKey(join(folder, 'secrets', name));
const instance = (id = 'ins_1'): string => join(folder, 'vm', id);

async function textOf(dir: string): Promise<string> {
  const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
  return (await Promise.all(files.map((one) => readFile(join(one.parentPath, one.name), 'latin1')))).join('\n');
}

test('an instance’s folder has no secret in plain text, and opens with the host’s key only', async () => {
  await createRecord(instance(), recordOf(input, 1), confidential, await hostKey());
  const text = await textOf(instance());
  for (const value of VALUES) for (const form of [value, Buffer.from(value).toString('base64').slice(0, -4)]) expect(text).not.toContain(form);
  expect(await loadRecord(instance(), await hostKey())).toMatchObject({ record: { instance_id: 'ins_1' }, ...confidential });
  expect(await loadRecord(instance(), await hostKey('another.key'))).toBeUndefined();
  // What was sealed for one instance is not taken for another's.
  await createRecord(instance('ins_2'), recordOf({ ...input, instance_id: 'ins_2' }, 1), confidential, await hostKey());
  await rename(join(instance(), 'identity.sealed'), join(instance('ins_2'), 'identity.sealed'));
  expect(await loadRecord(instance('ins_2'), await hostKey())).toBeUndefined();
});

test('what an earlier host left in plain text is sealed when it is taken back', async () => {
  await createRecord(instance(), recordOf(input, 1), confidential, await hostKey());
  await rm(join(instance(), 'identity.sealed'));
  await writeFile(join(instance(), 'identity.json'), JSON.stringify({ ...confidential.identity, ...confidential.withheld }));
  expect(await loadRecord(instance(), await hostKey())).toMatchObject(confidential);
  const text = await textOf(instance());
  for (const value of VALUES) expect(text).not.toContain(value);
  expect(await loadRecord(instance(), await hostKey())).toMatchObject(confidential);
});

test('a snapshot that was made with a secret from before is not used, and is removed', async () => {
  const templates = createTemplates(join(folder, 'template'));
  // Safe: of a machine, saving asks for this alone.
  const machine = {
    async saveTemplate(dir: string) {
      await mkdir(dir, { recursive: true });
      await writeFile(join(dir, 'memory'), SECRET);
      return { dir, memoryMib: 1, cpus: 1, disks: { base: '/base' } };
    },
  } as unknown as Machine;
  const key = await hostKey();
  const version = (secrets: Record<string, string>, env = input.env): Promise<string> => versionOf({ ...confidential.identity, env, secrets }, key);
  const before = await version({ TOKEN: SECRET });
  await templates.save('dep_1', before, machine);
  expect(await version({ TOKEN: SECRET })).toBe(before);
  expect(await templates.findOrDrop('dep_1', before)).toBeDefined();
  expect(await textOf(join(folder, 'template')), 'the test would see it').toContain(SECRET);

  const others = [{ TOKEN: 'rotated' }, {}, { OTHER: SECRET }].map((secrets) => version(secrets));
  const all = await Promise.all([...others, version({ TOKEN: SECRET }, { MODE: 'test' }), versionOf(confidential.identity, await hostKey('another.key'))]);
  expect(new Set([before, ...all]).size).toBe(6);
  expect(before).not.toContain(SECRET);
  expect(await templates.findOrDrop('dep_1', all[0] ?? '')).toBeUndefined();
  expect(await textOf(join(folder, 'template'))).toBe('');
});

test('two hosts that start at once have one key', async () => {
  const [one, two] = await Promise.all([hostKey(), hostKey()]);
  const text = randomBytes(16);
  expect(Buffer.from(await two.open(await one.seal(text, 'x'), 'x'))).toEqual(text);
  expect(await readdir(join(folder, 'secrets'))).toEqual(['host.key']);
});

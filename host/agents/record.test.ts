import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DATABASE_PORT } from '#contract/wire/database.ts';
import type { StartInput } from '#drivers/runtime/port.ts';
import { createVault } from '#drivers/vault/key-file.ts';
import { createRecord, identityOf, loadRecord, recordOf, withheldOf } from './record.ts';

const vault = createVault([new Uint8Array(randomBytes(32))]);
const plain: StartInput = {
  instance_id: 'ins_1',
  agent: 'greeter',
  deployment_id: 'dep_1',
  image: `sha256:${'0'.repeat(64)}`,
  env: { PLACE: 'Kathmandu' },
  secrets: { TOKEN: 'secret-token' },
  api_key: 'secret-api-key',
  grant_key: 'secret-grant-key',
  resources: { memory_mib: 256, cpu_millis: 500 },
  egress: { allow_hosts: ['api.example.test'], allow_internal_services: [] },
};
const injected: StartInput = {
  ...plain,
  setup_key: 'secret-setup-key',
  inject: [{ host: 'api.example.test', header: 'authorization', value: 'Bearer secret-injected' }],
  databases: [{ host: '127.0.0.1', port: 5432, tls: false, database: 'd_1', user: 'u_1' }],
};

test.each([
  ['alone', plain, { inject: [] }, undefined],
  ['with what is withheld from it', injected, { inject: injected.inject, setup_key: injected.setup_key }, DATABASE_PORT],
])('an instance started %s is taken back as it was, and no file has a secret of it', async (_, input, withheld, port) => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-record-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  await createRecord(dir, recordOf(input, 1_000), { identity: identityOf(input), withheld: withheldOf(input) }, vault);
  const found = await loadRecord(dir, vault);
  expect(found?.withheld).toEqual(withheld);
  expect(found?.identity).toMatchObject({ env: input.env, secrets: input.secrets, api_key: input.api_key, grant_key: input.grant_key });
  expect(found?.identity.database_port).toBe(port);
  expect(found?.record).toMatchObject({ instance_id: 'ins_1', phase: 'starting', egress: input.egress, started_at: 1_000 });
  for (const file of await readdir(dir)) expect(await readFile(join(dir, file), 'utf8')).not.toContain('secret-');
});

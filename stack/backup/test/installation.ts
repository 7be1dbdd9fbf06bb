// An installation to back up: a durable PostgreSQL of its own with rows of all kinds that a backup checks,
// and what lies beside it.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { appendReceipt } from '#core/evidence/receipt/sign.ts';
import { secretContext } from '#core/agents/secret/context.ts';
import { inTx } from '#core/kernel/tx.ts';
import { storeBlob } from '#core/workspace/blob/store.ts';
import { bucketOf } from '#core/workspace/grant/bucket.ts';
import { diskStorage } from '#drivers/storage/disk.ts';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { databases } from '#test/support/keeper-databases.ts';
import { liveAgent, type LiveAgent } from '#test/support/runs.ts';
import { facts } from '#test/support/verbs.ts';
import { openInstallationKey, type Source } from '../source.ts';

export interface TestInstallation {
  t: TestContext;
  ada: TestUser;
  agent: LiveAgent;
  source: Source;
  /** A folder that PostgreSQL's own user may enter. */
  folder: string;
  /** One file, one receipt, one secret, one commit. */
  work(): Promise<string>;
  close(): Promise<void>;
}

export async function testInstallation(): Promise<TestInstallation> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-backup-'));
  await chmod(folder, 0o711);
  const server = databases(folder, { durable: true });
  const { url } = await server.create();
  const t = await testContext({ databaseUrl: url });
  const ada = await t.user();
  const agent = await liveAgent(t.ctx, ada.actor.user_id);
  const source_key = 'sources/x';
  const { sha256: source_sha256, size_bytes: source_bytes } = await t.ctx.drivers.storage.put(source_key, Readable.from([Buffer.from('source')]));
  await t.ctx.db('deployments').update({ source_sha256, source_bytes });
  let count = 0;
  const work = async (): Promise<string> => {
    const name = `n${(count += 1)}`;
    const { sha256, size_bytes } = await storeBlob(t.ctx, Readable.from([Buffer.from(`content ${name} `.repeat(2_000))]), 1_000_000);
    const owner_id = ada.actor.user_id;
    const file = { bucket: bucketOf(owner_id), path: name, owner_id, sha256, size_bytes, mime_type: 'text/plain', file_type: 'text' as const };
    await t.ctx.db('files').insert(file);
    await inTx(t.ctx, (ctx) => appendReceipt(ctx, facts(agent)));
    const secret = { agent_id: agent.id, name: name.toUpperCase(), version: 1 };
    await t.ctx.db('agent_secrets').insert({ ...secret, value_sealed: await t.ctx.drivers.vault.seal(Buffer.from(name), secretContext(secret)) });
    const author = { name: 'Ada', email: 'ada@svc.local' };
    const changes = [{ path: `${name}.txt`, content: Buffer.from(name), executable: false }];
    const { scm } = t.ctx.drivers;
    const parent = (await scm.head({ repository: 'ada/agent', branch: 'main' })) ?? null;
    await scm.commitFiles({ repository: 'ada/agent', branch: 'main', parent, changes, message: name, author });
    return sha256;
  };
  const secretsDir = join(t.stateDir, 'secrets');
  const storage = diskStorage({ root: join(t.stateDir, 'storage') });
  const source: Source = {
    stateDir: t.stateDir,
    cacheDir: cacheFolder(process.env),
    secretsDir,
    databaseUrl: url,
    ownDatabase: true,
    storage,
    ...(await openInstallationKey(secretsDir)),
  };
  return {
    t,
    ada,
    agent,
    source,
    folder,
    work,
    async close() {
      await t.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

// What the document is tried on: the API as a process, with a database and a Temporal server of its own, a
// person with records, and an agent of theirs that answers.
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashSecret } from '#core/kernel/secret.ts';
import { newPlatformToken } from '#core/identity/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { recordsOf } from '../api/records.ts';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';
import { testContext } from '../support/context.ts';
import { databases } from '../support/keeper-databases.ts';
import { temporalServer } from '../support/keeper-temporal.ts';
import { scimTokenOf } from '../support/scim.ts';
import { serveGreeter } from '../support/greeter.ts';

export interface OpenApiWorld {
  api: ApiProcess;
  /** Of a person without rights beyond their own. */
  token: string;
  /** Of their organization's identity provider. */
  scimToken: string;
  /** By the name of the path parameter. */
  records: Record<string, string>;
  stop(): Promise<void>;
}

export async function openApiWorld(): Promise<OpenApiWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-openapi-'));
  // PostgreSQL runs as a user of its own where we are root: it must be able to pass.
  await chmod(folder, 0o711);
  const [cluster, server] = [databases(folder), temporalServer(folder)];
  const ends: (() => Promise<unknown>)[] = [() => Promise.all([cluster.stop(), server.stop()]).then(() => rm(folder, { recursive: true, force: true }))];
  const stop = async (): Promise<void> => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const [{ url: databaseUrl }, temporal] = await Promise.all([cluster.create(), server.address()]);
    const program = fileURLToPath(new URL('./api-main.ts', import.meta.url));
    const api = await startApiProcess(
      { SVC_PAYMENTS: 'builtin', SVC_SCM_WEBHOOK_SECRET: randomBytes(16).toString('hex') },
      { program, servers: { databaseUrl, temporal } },
    );
    ends.push(() => api.kill());
    const { ctx, user, close } = await testContext({ temporal, databaseUrl, folder: api.folder, hostSocket: api.hostSocket });
    ends.push(close);
    const { actor } = await user('ada');
    const { agent, stop: stopAgent } = await serveGreeter(ctx, actor.user_id);
    ends.push(stopAgent);
    const { records } = await recordsOf(ctx, actor.user_id, agent);
    const token = newPlatformToken();
    await ctx
      .db('platform_tokens')
      .insert({ token_id: newId('tok'), token_hash: hashSecret(token), kind: 'user', user_id: actor.user_id, agent_id: null, label: 'test' });
    return { api, token, scimToken: await scimTokenOf(ctx.db, records), records, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

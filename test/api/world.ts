// The whole API as it is served, strictly, with two tenants, and records of the first one for every path parameter.
import { Readable } from 'node:stream';
import { randomUUID } from 'node:crypto';
import { clientOf, type Client } from '../../contract/client.ts';
import { contract, type Contract } from '../../contract/index.ts';
import { routesOf, type DeclaredRoute } from '../../contract/inventory.ts';
import type { Limiter } from '../../contract/kit.ts';
import { createAuthenticator } from '../../core/identity/authenticate.ts';
import { hashSecret, newPlatformToken } from '../../core/identity/secret.ts';
import { sealReceipt } from '../../core/evidence/receipt/seal.ts';
import { createJob } from '../../core/jobs/create.ts';
import { createPlan } from '../../core/runs/plan/create.ts';
import { transitionJob } from '../../core/jobs/transition.ts';
import { newId } from '../../core/ids.ts';
import { mintGrant } from '../../core/workspace/grant/mint.ts';
import { addAgent, facts } from '../support/verbs.ts';
import { inTx } from '../../core/tx.ts';
import { storeBlob } from '../../core/workspace/blob/store.ts';
import { bucketOf } from '../../core/workspace/grant/bucket.ts';
import { LoginError } from '../../drivers/idp/port.ts';
import { createApp } from '../../api/app.ts';
import { handlers, internal } from '../../api/handlers.ts';
import { createLogger } from '../../api/http/log.ts';
import { BUDGETS, createRateLimits } from '../../api/http/rate-limit.ts';
import { createApiServer } from '../../api/server.ts';
import { testContext, type TestContext } from '../support/context.ts';

export type Who = 'ada' | 'ben' | 'operator' | 'platform' | 'agent';

export interface World {
  url: string;
  tokens: Record<Who, string>;
  as(who?: Who): Client<Contract>;
  /** Ada's records by the name of the path parameter that names them, or by `<route>.<parameter>` where a route means another. A new parameter is a new line in `records`. */
  records: Record<string, string>;
  /** What Ada sends in the headers that routes declare. */
  headers: Record<string, string>;
  logs: string[];
  ctx: TestContext['ctx'];
  databaseUrl: string;
  close(): Promise<void>;
}

export const ROUTES: DeclaredRoute[] = routesOf(contract);

/** `options` as for testContext: with Temporal's address, decisions of people arrive. */
export async function createWorld(options: Parameters<typeof testContext>[0] = {}): Promise<World> {
  const it = await testContext(options);
  const { ctx } = it;
  const [ada, ben, operator] = [await it.user('ada'), await it.user('ben'), await it.user('operator')];
  await ctx.db('users').where({ user_id: operator.actor.user_id }).update({ operator: true });
  const { id, name } = await addAgent(ctx.db, ada.actor.user_id, { live: true });
  const tokens: Record<Who, string> = {
    ada: await token(ctx, 'user', ada.actor.user_id),
    ben: await token(ctx, 'user', ben.actor.user_id),
    operator: await token(ctx, 'user', operator.actor.user_id),
    platform: await token(ctx, 'platform', null),
    agent: await token(ctx, 'agent_api', ada.actor.user_id, id),
  };
  const deployment = await ctx.db('deployments').where({ agent_id: id }).first('deploy_id');
  const job_id = await inTx(ctx, (tx, inner) => createJob(tx, inner, { kind: 'run', title: 'Run', ownerId: ada.actor.user_id }));
  const sealed = await inTx(ctx, (tx, inner) =>
    sealReceipt(tx, inner, facts({ id, name }, { caller: { kind: 'user', id: ada.actor.user_id, userId: ada.actor.user_id } })),
  );
  const given = await inTx({ ...ctx, actor: ada.actor }, (tx, inner) =>
    mintGrant(tx, inner, { userId: ada.actor.user_id, audience: name, allow: ['**'], deny: [], mode: 'read_only', outputsPrefix: null, ttlSeconds: 3600 }),
  );
  const path = await addArtifact(ctx, { userId: ada.actor.user_id, agentId: id, agentName: name, deployId: deployment?.deploy_id ?? '' });
  const waits = { question_id: `qst_${randomUUID()}`, approval_id: `scr_${randomUUID()}`, request_id: `inr_${randomUUID()}` };
  const handoff = `hof_${randomUUID()}`;
  const pending = {
    asked_of: ada.actor.user_id,
    agent_id: id,
    agent_name: name,
    skill: 'greet',
    prompt: '?',
    expires_at: new Date(Date.now() + 600_000).toISOString(),
  };
  await ctx.db('waits').insert([
    { ...pending, wait_id: waits.question_id, kind: 'question' },
    { ...pending, wait_id: waits.approval_id, kind: 'scope_request' },
    { ...pending, wait_id: waits.request_id, kind: 'input_request' },
    { ...pending, wait_id: handoff, kind: 'handoff_approval' },
  ]);
  const [thread] = await ctx
    .db('threads')
    .insert({ thread_id: newId('thr'), owner_id: ada.actor.user_id, title: 'Thread' })
    .returning('thread_id');
  const plan = await inTx(ctx, (tx, inner) =>
    createPlan(tx, inner, { ownerId: ada.actor.user_id, threadId: null, title: 'Plan', planner: 'steps', nodes: [] }),
  );
  const schedule_id = newId('sch');
  await ctx.db('schedules').insert({
    schedule_id,
    owner_id: ada.actor.user_id,
    title: 'Every morning',
    cron: '30 9 * * *',
    time_zone: 'UTC',
    overlap: 'skip',
    catchup_window_seconds: 3600,
    jitter_seconds: 0,
    pause_on_failure: false,
    paused: true,
    paused_by: 'owner',
    target: JSON.stringify({ kind: 'skill', agent: name, skill: 'greet', args: {} }),
    agent_id: id,
  });
  const session_id = await addSession(ctx, { userId: ada.actor.user_id, agentId: id, agentName: name, deployId: deployment?.deploy_id ?? '' });
  const meta_run_id = newId('mrn');
  const remembered = { goal: 'Ship it', criteria: '[]', plan: '{}', progress: '{}', status: 'planning' };
  await ctx.db('meta_runs').insert({ meta_run_id, agent_id: id, user_id: ada.actor.user_id, ...remembered });
  const asked = { agent_name: name, skill: 'greet', source: 'reported', started_at: new Date(), reported: JSON.stringify(reportedCall) };
  await ctx.db('subagent_runs').insert({ grant_id: given.grant.grant_id, owner_id: ada.actor.user_id, ...asked });
  const records = {
    'agents.run.run_id': path.split('/')[0] ?? '',
    'metaAgentRuns.get.run_id': meta_run_id,
    'metaAgentRuns.update.run_id': meta_run_id,
    session_id,
    schedule_id,
    ...waits,
    'chat.decideHandoff.approval_id': handoff,
    thread_id: thread?.thread_id ?? '',
    dag_run_id: plan.dag_run_id,
    name,
    path,
    skill_name: 'greet',
    deploy_id: deployment?.deploy_id ?? '',
    job_id,
    receipt_id: sealed.receipt_id,
    grant_id: given.grant.grant_id,
    ...(await addAgentData(ctx, id, ada.actor.user_id)),
  };

  const logs: string[] = [];
  const stopping = new AbortController();
  const many = Object.fromEntries(Object.keys(BUDGETS).map((limiter) => [limiter, { points: 100_000, seconds: 60 }])) as Record<
    Limiter,
    { points: number; seconds: number }
  >;
  const app = createApp(
    contract,
    handlers,
    {
      ...ctx,
      strict: true,
      shutdown: stopping.signal,
      limits: createRateLimits(ctx.db, many),
      log: createLogger('info', { write: (line: string) => void logs.push(line) }),
      authenticate: createAuthenticator({
        db: ctx.db,
        vault: ctx.drivers.vault,
        clock: ctx.clock,
        accessTokens: { verify: () => Promise.reject(new LoginError('invalid', 'no identity provider here')) },
      }),
    },
    internal,
  );
  const server = createApiServer({ api: app.callback(), stopping, graceMs: 2_000 });
  const url = await server.listen(0, '127.0.0.1');
  return {
    url,
    tokens,
    records,
    headers: { 'svc-grant': given.token },
    logs,
    ctx,
    databaseUrl: it.databaseUrl,
    as: (who) => clientOf(contract, { baseUrl: url, token: who && tokens[who] }),
    close: async () => {
      await server.close();
      await it.close();
    },
  };
}

const reportedCall = { state: 'running', ended_at: null, input_sha256: null, output_sha256: null, error_code: null };

interface RunOf {
  userId: string;
  agentId: string;
  agentName: string;
  deployId: string;
}

function runRow(run_id: string, i: RunOf) {
  return {
    run_id,
    agent_id: i.agentId,
    agent_name: i.agentName,
    deploy_id: i.deployId,
    skill: 'greet',
    user_id: i.userId,
    caller_kind: 'user',
    started_at: new Date(),
  };
}

/** The log of a run that has ended. */
async function addSession(ctx: World['ctx'], i: RunOf): Promise<string> {
  const [run_id, session_id] = [newId('run'), newId('ags')];
  const job_id = await inTx(ctx, async (tx, inner) => {
    const made = await createJob(tx, inner, { kind: 'run', title: 'Session', ownerId: i.userId });
    await transitionJob(tx, made, { from: ['queued'], to: 'succeeded', output: { result: 1 } });
    return made;
  });
  await ctx.db('runs').insert({ ...runRow(run_id, i), job_id });
  const header = {
    type: 'svc.session.v1',
    session_id,
    agent: i.agentName,
    version: '1.0.0',
    skill: 'greet',
    run_id,
    input_sha256: '0'.repeat(64),
    started_at: new Date().toISOString(),
    kid: 'key_1',
  };
  await ctx.db('agent_sessions').insert({ session_id, user_id: i.userId, agent_id: i.agentId, run_id, job_id, header: JSON.stringify(header) });
  return session_id;
}

/** A file and an artifact of a run at one path: `<run_id>/<name>` is a path like any other. */
async function addArtifact(ctx: World['ctx'], i: RunOf): Promise<string> {
  const run_id = newId('run');
  const blob = await storeBlob(ctx, Readable.from([Buffer.from('a report')]), 100);
  const { sha256, size_bytes } = blob;
  const shared = { sha256, size_bytes, mime_type: 'text/plain' };
  await ctx.db('runs').insert(runRow(run_id, i));
  await ctx.db('artifacts').insert({ artifact_id: newId('art'), run_id, agent_id: i.agentId, user_id: i.userId, name: 'report.txt', ...shared });
  await ctx.db('files').insert({ bucket: bucketOf(i.userId), path: `${run_id}/report.txt`, owner_id: i.userId, file_type: 'text', ...shared });
  return `${run_id}/report.txt`;
}

/** A memory, a secret and a setup value that one word names. */
async function addAgentData({ db, drivers }: World['ctx'], agent_id: string, user_id: string): Promise<Record<string, string>> {
  const memory = { namespace: 'facts', key: 'TOKEN' };
  await db('agent_memories').insert({ agent_id, user_id, ...memory, value: '"x"', size_bytes: 3, search_text: 'TOKEN x' });
  const value_sealed = await drivers.vault.seal(Buffer.from('x'), 'a test');
  await db('agent_secrets').insert({ agent_id, name: memory.key, value_sealed });
  await db('consumer_setup_values').insert({ agent_id, user_id, field_name: 'region', value: '"eu"', size_bytes: 4 });
  return { ...memory, field_name: 'region' };
}

async function token({ db }: World['ctx'], kind: 'user' | 'platform' | 'agent_api', user_id: string | null, agent_id: string | null = null): Promise<string> {
  const made = newPlatformToken();
  await db('platform_tokens').insert({ token_id: newId('tok'), token_hash: hashSecret(made), kind, user_id, agent_id, label: 'test' });
  return made;
}

// Ways into the model gateway: credentials that do not hold, or no longer; paths that lead elsewhere; bodies
// without an end.
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ensureRun } from '#core/kernel/ensure-run.ts';
import { inTx } from '#core/kernel/tx.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { accessToken } from './attackers.ts';
import { body, modelAttack, type ModelAttack, PATHS } from './model-attacker.ts';

let it: ModelAttack;
beforeAll(async () => {
  it = await modelAttack();
});
afterAll(() => it.close());
beforeEach(async () => {
  await it.lend(1_000_000_000);
  it.provider.asked.length = 0;
});

/** Of runs and agents that are over. */
async function expired(): Promise<Record<string, string>> {
  const { db } = it.world.ctx;
  const agent = await it.agent();
  const [ended, sealed, late, forgotten] = [it.run(agent), it.run(agent), it.run(agent), it.run(agent)];
  const [gone, stopped] = [it.run(await it.agent()), it.run(await it.agent())];
  await inTx(ended, (ctx) => ensureRun(ctx));
  const holders = {
    'of a run that has ended': await it.token(ended),
    "a grant's, of a run that has ended": await it.grantKey(ended),
    'of a run with a receipt': await it.token(sealed),
    'that has expired': await it.token(late, -1),
    "a grant's, expired": await it.grantKey(forgotten),
    'of a deleted agent': await it.token(gone),
    'of an agent that serves no more': await it.token(stopped),
    'of a run that only looks': await it.token(it.run(agent, { looks: true })),
  };
  await db('runs').where({ run_id: ended.actor.run_id }).update({ state: 'succeeded', ended_at: new Date().toISOString() });
  const { receipt_id = '' } = (await db('receipts').first('receipt_id')) ?? {};
  await db('receipts').where({ receipt_id }).update({ run_id: sealed.actor.run_id });
  await db('llm_grants')
    .where({ run_id: forgotten.actor.run_id })
    .update({ expires_at: new Date(Date.now() - 1) });
  await db('agents').where({ agent_id: gone.actor.agent_id }).update({ deleted_at: new Date() });
  await db('instances').where({ deploy_id: stopped.actor.deploy_id }).update({ state: 'stopped' });
  return holders;
}

/** Made from one that holds. */
async function forged(good: string): Promise<Record<string, string>> {
  const [payload = '', mac = ''] = good.slice('svc_run_'.length).split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const changed = (more: object) => `svc_run_${Buffer.from(JSON.stringify({ ...claims, ...more })).toString('base64url')}.${mac}`;
  const elsewhere = { ...it.world.ctx.drivers.vault, derive: async () => randomBytes(32) };
  return {
    'signed by another installation': await mintRunCredential(elsewhere, it.run(await it.agent()).actor, Date.now() + 60_000),
    'with another payer': changed({ u: it.mallory }),
    'with another owner': changed({ o: it.ada }),
    'of another agent': changed({ a: ['agt_1', it.world.records['name']] }),
    'with a later end': changed({ x: claims.x + 1 }),
    'without a signature': `svc_run_${payload}`,
    'with an empty signature': `svc_run_${payload}.`,
    'with more behind it': `${good}.x`,
    "a grant's that nobody made": `svc_llm_${'a'.repeat(43)}`,
  };
}

test('credentials that do not hold, or no longer, open no operation, in whichever header', async () => {
  const { tokens } = it.world;
  const good = await it.token(it.run(await it.agent()));
  const holders: Record<string, string | undefined> = {
    ...(await expired()),
    ...(await forged(good)),
    ...tokens,
    'an access token': await accessToken({ user_id: it.ada, email: '' }, {}),
    'an access token for another audience': await accessToken({ user_id: it.ada, email: '' }, { aud: 'https://elsewhere.example' }),
    none: undefined,
  };
  for (const [who, key = ''] of Object.entries(holders)) {
    for (const path of [...Object.values(PATHS), '/llm/openai/v1/models', '/llm/anthropic/v1/models']) {
      for (const headers of [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }, { 'x-svc-run-token': key, authorization: `Bearer ${good}` }]) {
        const { status, code } = await it.ask(path, undefined, path.endsWith('models') ? undefined : body('m-1'), headers);
        expect.soft(['401 model_key_invalid', '401 run_credential_invalid'], `${who} at ${path}`).toContain(`${status} ${code}`);
      }
    }
  }
  it.nothingAsked();
  expect((await it.ask(PATHS.chat, good, body('m-1'))).status).toBe(200);
});

test('what the payer or an operator takes back holds no longer for runs and grants that are open', async () => {
  const run = it.run(await it.agent());
  const keys = [await it.token(run), await it.grantKey(run)];
  const codes = async () => Promise.all(keys.map(async (key) => (await it.ask(PATHS.chat, key, body('m-1'))).code));
  expect(await codes()).toEqual([undefined, undefined]);
  const { as, ctx } = it.world;
  await ctx.db('llm_credentials').where({ user_id: it.ada }).update({ agent_run_budget_micros: null });
  expect(await codes()).toEqual(['models_not_allowed', 'models_not_allowed']);
  await it.lend(1_000_000_000);
  const limits = { agents: null, schedules: null, concurrent_runs: null, calls_per_minute: null };
  const policy = { may_deploy: true, may_publish: true, may_call_external: true, limits, reason: '' };
  for (const user_id of [it.ada, it.mallory]) {
    const { version } = await as('operator').admin.putControlPolicy({ params: { user_id }, body: { ...policy, suspended: true, version: 0 } });
    expect(await codes()).toEqual(['account_suspended', 'account_suspended']);
    await as('operator').admin.putControlPolicy({ params: { user_id }, body: { ...policy, suspended: false, version } });
  }
  await as('ada').llmCreds.remove({ params: { name: 'main' } });
  expect(await codes()).toEqual(['models_not_allowed', 'models_not_allowed']);
  expect(it.provider.asked).toHaveLength(2);
});

const ELSEWHERE =
  '/llm/v1/../../v1/me|/llm/openai/v1/../../../v1/me|/llm/openai/v1/%2e%2e/%2e%2e/v1/me|/llm/openai/v1/chat/completions/../../files|/llm/openai/v1/files|/llm/openai/v1/responses/resp_1|/llm/openai/v1//models|/llm/openai/v1/models/|/llm/openai/v1/embeddings/m-1|/llm/openai/v1/models%3Fx|/llm/openai/v1/models;x|/llm/openai/v1\\models|/LLM/openai/v1/models|//llm/openai/v1/models|/llm/openai/v2/models|/llm/openai@evil.example/v1/models|/llm/gemini/v1/models|/llm/anthropic/v1/files|/llm/anthropic/v1/messages/batches|/llm/|*'.split('|'); // prettier-ignore

test('paths lead to nothing but the operations, and whole addresses nowhere but to this platform', async () => {
  const key = await it.token(it.run(await it.agent()));
  for (const path of [...ELSEWHERE, `http://${it.provider.host}/v1/models`]) {
    for (const sent of [undefined, body('m-1')]) {
      const { status, whole } = await it.ask(path, key, sent);
      expect.soft([400, 401, 404, 405], path).toContain(status);
      expect.soft(whole, path).not.toMatch(/@example|"user_id"/);
    }
  }
  it.nothingAsked();
  expect((await it.ask(`http://evil.example${PATHS.chat}`, key, body('m-1'))).status).toBe(200);
  expect(it.provider.asked.map(({ path, headers }) => [path, headers.host])).toEqual([['/v1/chat/completions', it.provider.host]]);
});

const MIB = Buffer.alloc(1024 * 1024, ' ');
/** The status; 0: the connection was closed while it still sent. */
function pour(authorization: string, headers: Record<string, string | number>, pieces: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(it.world.url);
    let left = pieces;
    const outgoing = request({ hostname, port, path: PATHS.chat, method: 'POST', agent: false, headers: { authorization, ...headers } }, (incoming) => {
      left = 0;
      resolve(incoming.statusCode ?? 0);
      outgoing.destroy();
    });
    const more = (): void => {
      while (left-- > 0) if (!outgoing.write(MIB)) return void outgoing.once('drain', more);
      outgoing.end();
    };
    outgoing.on('error', (error: NodeJS.ErrnoException) => (/EPIPE|ECONNRESET/.test(error.code ?? '') ? resolve(0) : reject(error)));
    more();
  });
}

test('100 MiB, the same packed, and more without an end, are refused with and without a credential', async () => {
  const key = await it.token(it.run(await it.agent()));
  const refused = (status: number) => it.world.logs.filter((line) => line.includes('the model gateway refused') && line.includes(`"status":${status},`)).length;
  for (const [who, status] of [
    [`Bearer ${key}`, 413],
    ['Bearer x', 401],
  ] as const) {
    const before = refused(status);
    expect([status, 0]).toContain(await pour(who, { 'content-length': 100 * MIB.length }, 100));
    expect([status, 0]).toContain(await pour(who, {}, Infinity));
    await vi.waitFor(() => expect(refused(status)).toBe(before + 2));
  }
  const bomb = { method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(100 * MIB.length)) };
  expect((await fetch(it.world.url + PATHS.chat, bomb)).status).toBe(413);
  it.nothingAsked();
  expect(await it.world.ctx.db('llm_usage').where({ state: 'running' })).toEqual([]);
  expect((await it.ask(PATHS.chat, key, body('m-1'))).status).toBe(200);
});

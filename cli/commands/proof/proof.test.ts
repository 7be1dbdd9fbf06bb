// Proofs at the command line: checked offline in files, run and listed against the real HTTP kernel.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { agentProofs } from '#contract/quality/agent-proofs.ts';
import { publicRoutes } from '#contract/public/public.ts';
import { getPublishedProof, proofStanding } from '#core/evidence/proof/published.ts';
import { listProofs } from '#core/evidence/proof/read.ts';
import { publishedKeys } from '#core/evidence/receipt/published-keys.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { createPool } from '#db/pool.ts';
import { addProof } from '#test/support/proofs.ts';
import { testDatabase } from '#test/support/servers.ts';
import { addAgent, addUser, testCtx, userActor } from '#test/support/verbs.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { propertyOf } from '../../proof/property.ts';
import { signedIn, toolAt } from '../../test/signed-in.ts';

let db: Knex;
let ctx: Ctx;
let folder: string;
let name: string;
let passed: string;
let failed: string;
beforeAll(async () => {
  db = createPool({ connectionString: (await testDatabase()).url });
  ctx = testCtx(db, { actor: { kind: 'anonymous' } });
  const userId = await addUser(db);
  ctx = { ...ctx, actor: userActor(userId) };
  const agent = await addAgent(db, userId, { visibility: 'public', live: true });
  const row = await db('agents').where({ agent_id: agent.id }).first('live_deploy_id');
  const of = { agent, deployId: row?.live_deploy_id ?? '', userId };
  name = agent.name;
  failed = (await addProof(ctx, { ...of, status: 'failed' })).proof_id;
  passed = (await addProof({ ...ctx, clock: () => Date.now() + 1 }, of)).proof_id;
  folder = await mkdtemp(join(tmpdir(), 'svc-proof-'));
});
afterAll(async () => {
  await db.destroy();
  await rm(folder, { recursive: true, force: true });
});

const group = { agentProofs: { list: agentProofs.list }, public: { latestProof: publicRoutes.latestProof, receiptKeys: publicRoutes.receiptKeys } };
const api = await serveForTest(group, {
  agentProofs: { list: (_, { query }) => listProofs(ctx, query) },
  public: { latestProof: (_, { params }) => proofStanding(ctx, params), receiptKeys: () => publishedKeys(ctx) },
});
const { tool } = await toolAt(api);

async function saved(proofId: string, more: object = {}): Promise<{ proof: string; keys: string }> {
  const [proof, keys] = [join(folder, `${proofId}.json`), join(folder, 'keys.json')];
  await writeFile(proof, JSON.stringify({ ...(await getPublishedProof(ctx, { name, proof_id: proofId })), ...more }));
  await writeFile(keys, JSON.stringify(await publishedKeys(ctx)));
  return { proof, keys };
}

test('a saved proof is checked with saved keys, and nothing else', async () => {
  const { proof, keys } = await saved(passed);
  const nowhere = { env: { SVC_API_URL: 'http://127.0.0.1:9' } };
  const good = await tool.run(['proof', 'verify', proof, '--keys', keys, '--agent', name, '--json'], nowhere);
  expect([good.code, JSON.parse(good.out)]).toMatchObject([EXIT.ok, { authentic: true, passed: true, proof: { proof_id: passed } }]);
  const other = await tool.run(['proof', 'verify', proof, '--keys', keys, '--agent', 'another'], nowhere);
  expect([other.code, other.out]).toEqual([EXIT.failure, expect.stringContaining(`It is a proof of ${name}, not of another.`)]);
  const changed = await saved(passed, { args: { text: 'Other' } });
  expect((await tool.run(['proof', 'verify', changed.proof, '--keys', keys], nowhere)).code).toBe(EXIT.failure);
  const clone = await tool.run(['proof', 'verify', (await saved(passed)).proof, '--keys', keys, '--clone', folder], nowhere);
  expect([clone.code, clone.out]).toEqual([EXIT.failure, expect.stringContaining('The clone does not have the commit')]);
});

test('a proof that failed is authentic, and ends with 1 all the same', async () => {
  const { proof, keys } = await saved(failed);
  const shown = await tool.run(['proof', 'verify', proof, '--keys', keys]);
  expect([shown.code, shown.out]).toEqual([EXIT.failure, expect.stringContaining('authentic; the skill FAILED')]);
});

test('the newest of an agent, and the list of what one ran', async () => {
  const newest = await tool.run(['proof', 'verify', name]);
  expect([newest.code, newest.out]).toEqual([EXIT.ok, expect.stringContaining(`The proof holds, and it passed: ${passed}`)]);
  const list = await tool.run(['proof', 'list', '--json'], signedIn);
  expect(JSON.parse(list.out).map(({ proof_id }: { proof_id: string }) => proof_id)).toEqual([passed, failed]);
});

test('properties are read as they are written', async () => {
  expect(await propertyOf('latency=500')).toEqual({ kind: 'latency', max_ms: 500 });
  expect(await propertyOf('matches=/a/b:^x:y$')).toEqual({ kind: 'matches', pointer: '/a/b', pattern: '^x:y$', absent: false });
  expect(await propertyOf('not-matches=a|b')).toEqual({ kind: 'matches', pointer: '', pattern: 'a|b', absent: true });
  await expect(propertyOf('speed=1')).rejects.toThrow('--property must be');
});

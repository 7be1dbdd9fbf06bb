// What an agent may show its caller of the caller's own data; and that it never gets data of others, whatever
// it asks for.
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, type Client } from '#contract/client.ts';
import { pathOf } from '#contract/route-table.ts';
import { routesOf } from '#contract/inventory.ts';
import { callerResources, MAX_CONTENT_BYTES } from '#contract/run/caller-resources.ts';
import { writeArtifact } from '#core/runs/artifact/write.ts';
import { callerHeaders } from '#core/runs/run/begin.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { inTx } from '#core/kernel/tx.ts';
import { type Mint, mintGrant } from '#core/workspace/grant/mint.ts';
import { revokeGrant } from '#core/workspace/grant/revoke.ts';
import type { TestUser } from '#test/support/context.ts';
import { liveAgent, type LiveAgent, runOf, type TestRun } from '#test/support/runs.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let agent: LiveAgent;
let ada: TestUser;
let ben: TestUser;

beforeAll(async () => {
  world = await createWorld();
  [ada, ben] = [await userOf('ada'), await userOf('ben')];
  agent = await liveAgent(world.ctx, ben.actor.user_id, { visibility: 'public' });
});
afterAll(() => world.close());

const userOf = async (email: string): Promise<TestUser> => {
  const row = await world.ctx.db('users').where('email', 'like', `${email}%`).first('user_id', 'email');
  if (!row) throw new Error(email);
  return { ...world.ctx, actor: { kind: 'user', user_id: row.user_id, email: row.email, operator: false, via: 'bearer' } };
};
const as = (run: TestRun): Client<{ callerResources: typeof callerResources }>['callerResources'] =>
  clientOf({ callerResources }, { baseUrl: world.url, token: () => mintRunCredential(world.ctx.drivers.vault, run.actor, Date.now() + 60_000) })
    .callerResources;
const asking = (who: TestUser | null, of = agent): TestRun => runOf(world.ctx, of, who?.actor.user_id ?? null);
const make = (run: TestRun, name: string, content: string | Buffer = 'made', mime_type = 'text/plain') =>
  writeArtifact(run, { name, mime_type, body: Readable.from([Buffer.from(content)]) });
const grant = (to: LiveAgent, by: TestUser, more: Partial<Mint> = {}) =>
  inTx(by, (ctx) =>
    mintGrant(ctx, {
      userId: by.actor.user_id,
      audience: to.name,
      allow: ['docs/**'],
      deny: ['docs/secret/**'],
      mode: 'read_only',
      outputsPrefix: null,
      ttlSeconds: 300,
      ...more,
    }),
  );
const put = async (user: 'ada' | 'ben', path: string, content: string | Buffer): Promise<void> => {
  const form = new FormData();
  form.set('path', path);
  form.set('file', new Blob([new Uint8Array(Buffer.from(content))]), path.split('/').at(-1));
  const answer = await fetch(`${world.url}/v1/me/files`, { method: 'POST', headers: { authorization: `Bearer ${world.tokens[user]}` }, body: form });
  if (!answer.ok) throw new Error(await answer.text());
};
const text = ({ data }: { data: string }): string => Buffer.from(data, 'base64').toString();

test.each(routesOf({ callerResources }))('$id is only for run credentials', async ({ spec }) => {
  const names = Object.keys(spec.params?._zod.def.shape ?? {});
  const url = world.url + pathOf(spec, { params: Object.fromEntries(names.map((name) => [name, 'x'])) });
  const status = async (token?: string): Promise<number> =>
    (await fetch(url, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })).status;
  expect([await status(), await status(world.tokens.ada), await status('svc_run_e30.AAAA')]).toEqual([401, 403, 401]);
});

test('the credential of a caller who only looks opens this and nothing else', async () => {
  const run = asking(ada);
  const { 'x-svc-run-token': token = '', ...more } = await callerHeaders(world.ctx, run.actor, 60_000);
  expect(more).toEqual({});
  const path = (at: string, method = 'GET', body?: object) =>
    fetch(world.url + at, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'svc-grant': 'x' },
      ...(body && { body: JSON.stringify(body) }),
    });
  expect((await path('/run/v1/artifacts')).status).toBe(200);
  const refused = [
    path('/run/v1/questions', 'POST', { question_id: `qst_${randomUUID()}`, prompt: 'Which?', timeout_seconds: 60 }),
    path('/run/v1/artifacts/x?mime_type=text/plain', 'PUT'),
    path('/run/v1/workspace/search', 'POST', { grant_token: null, query: '' }),
    path('/run/v1/grants'),
    path('/run/v1/sandboxes', 'POST', { name: 'x' }),
    path('/v1/workspace-grants/files'),
    path(`/v1/agents/${agent.name}/api/invoke/work`, 'POST', {}),
    path(`/v1/agents/${agent.name}/memory`),
  ];
  for (const [at, answer] of (await Promise.all(refused)).entries()) expect([401, 403, 404], `${at}: ${answer.status}`).toContain(answer.status);
  expect((await Promise.all(refused)).slice(0, 6).map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
});

test('a caller is shown only the artifacts of its own runs', async () => {
  const [hers, his] = [asking(ada), asking(ben)];
  await make(hers, 'for-ada.txt', 'hers');
  await make(his, 'for-ben.txt', 'his');
  // An agent of Ada's calls: it sees what its own calls made.
  const calling = runOf(world.ctx, await liveAgent(world.ctx, ada.actor.user_id), ada.actor.user_id);
  await make(calling, 'own.txt');
  const called = { parent_run_id: calling.actor.run_id, caller: { kind: 'run', id: calling.actor.agent_name } };
  const under = runOf(world.ctx, agent, ada.actor.user_id, called);
  await make(under, 'for-agent.txt', 'under');
  const nobodys = asking(null);
  const linked = await make(nobodys, 'for-nobody.txt', 'anybody');

  const names = async (run: TestRun): Promise<string[]> => (await as(run).listArtifacts({ query: { limit: 100 } })).items.map(({ name }) => name);
  expect(await names(asking(ada))).toEqual(['for-agent.txt', 'for-ada.txt']);
  expect(await names(asking(ben))).toEqual(['for-ben.txt']);
  expect(await names(runOf(world.ctx, agent, ada.actor.user_id, called))).toEqual(['for-agent.txt']);
  expect(await names(asking(null))).toEqual([]);
  // Of another agent there is nothing, for any caller.
  expect(await names(asking(ada, await liveAgent(world.ctx, ben.actor.user_id)))).toEqual([]);

  const read = (by: TestRun, of: TestRun, name: string, token?: string) =>
    as(by).readArtifact({ params: { run_id: of.actor.run_id, name }, query: token === undefined ? {} : { token } });
  expect(text(await read(asking(ada), hers, 'for-ada.txt'))).toBe('hers');
  for (const [by, of, name] of [
    [asking(ben), hers, 'for-ada.txt'],
    [asking(null), hers, 'for-ada.txt'],
    [asking(null), nobodys, 'for-nobody.txt'],
    [runOf(world.ctx, agent, ada.actor.user_id, called), hers, 'for-ada.txt'],
    [asking(ada), hers, '../for-ada.txt'],
    [asking(ada), hers, '%2e%2e'],
  ] as const)
    await expect(read(by, of, name), name).rejects.toMatchObject({ status: 404 });
  // Who has the link reads it, and that file alone.
  const token = new URL(linked.uri).searchParams.get('token') ?? '';
  expect(text(await read(asking(null), nobodys, 'for-nobody.txt', token))).toBe('anybody');
  await expect(read(asking(null), hers, 'for-ada.txt', token)).rejects.toMatchObject({ status: 404 });
});

test('what is too large is refused with where it is', async () => {
  const run = asking(ada);
  await make(run, 'large.bin', Buffer.alloc(MAX_CONTENT_BYTES + 1), 'application/octet-stream');
  const read = as(asking(ada)).readArtifact({ params: { run_id: run.actor.run_id, name: 'large.bin' }, query: {} });
  await expect(read).rejects.toMatchObject({ status: 413, code: 'content_too_large' });
  const message = await read.catch((error: Error) => error.message);
  expect(String(message)).toContain(`fetch it at http`);
  await put('ada', 'large/file.bin', Buffer.alloc(MAX_CONTENT_BYTES + 1));
  const reader = await liveAgent(world.ctx, ben.actor.user_id, { visibility: 'public' });
  await grant(reader, ada, { allow: ['large/**'] });
  const params = { workspace: ada.actor.user_id, path: 'large/file.bin' };
  await expect(as(asking(ada, reader)).readFile({ headers: {}, params })).rejects.toMatchObject({ status: 413, code: 'content_too_large' });
});

test('ten thousand artifacts come page by page, each once', async () => {
  const cyd = await liveAgent(world.ctx, ben.actor.user_id);
  const run = asking(ada, cyd);
  await make(run, 'first');
  const [row] = await world.ctx.db('artifacts').where({ run_id: run.actor.run_id });
  if (!row) throw new Error('no artifact');
  const more = Array.from({ length: 9_999 }, (_, n) => ({ ...row, artifact_id: `${row.artifact_id}${n}`, name: `n${n}` }));
  await world.ctx.db.batchInsert('artifacts', more, 1000);
  const seen = new Set<string>();
  let pages = 0;
  for (let cursor: string | null | undefined; cursor !== null; pages += 1) {
    const page = await as(asking(ada, cyd)).listArtifacts({ query: { limit: 1000, ...(cursor && { cursor }) } });
    for (const { name } of page.items) seen.add(name);
    cursor = page.next_cursor;
  }
  expect([seen.size, pages]).toEqual([10_000, 10]);
  const bent = as(asking(ada, cyd)).listArtifacts({ query: { limit: 1, cursor: 'WyIxIl0' } });
  await expect(bent).rejects.toMatchObject({ status: 400 });
});

test('files are shown as far as a grant of the caller to this agent goes, and as long as it holds', async () => {
  const reader = await liveAgent(world.ctx, ben.actor.user_id, { visibility: 'public' });
  for (const path of ['docs/a.md', 'docs/b.md', 'docs/secret/c.md', 'private.md']) await put('ada', path, path);
  await put('ben', 'docs/of-ben.md', 'his');
  const list = async (run: TestRun, headers: { 'svc-grant'?: string } = {}): Promise<string[]> =>
    (await as(run).listFiles({ headers, query: { limit: 100 } })).items.map(({ workspace, path }) => `${workspace}/${path}`);
  const read = (run: TestRun, path: string, headers: { 'svc-grant'?: string } = {}, workspace = ada.actor.user_id) =>
    as(run).readFile({ headers, params: { workspace, path } });
  const at = (path: string): string => `${ada.actor.user_id}/${path}`;

  expect(await list(asking(ada, reader))).toEqual([]);
  const given = await grant(reader, ada);
  expect(await list(asking(ada, reader))).toEqual([at('docs/a.md'), at('docs/b.md')]);
  expect(text(await read(asking(ada, reader), 'docs/a.md'))).toBe('docs/a.md');
  // Page by page, each once.
  const first = await as(asking(ada, reader)).listFiles({ headers: {}, query: { limit: 1 } });
  const second = await as(asking(ada, reader)).listFiles({ headers: {}, query: { limit: 1, cursor: first.next_cursor ?? '' } });
  expect([...first.items, ...second.items].map(({ path }) => path)).toEqual(['docs/a.md', 'docs/b.md']);
  expect(second.next_cursor).toBeNull();

  for (const path of ['private.md', 'docs/secret/c.md', 'docs/none.md'])
    await expect(read(asking(ada, reader), path), path).rejects.toMatchObject({ status: 404 });
  for (const path of ['docs/../private.md', '/docs/a.md', 'docs//a.md', 'docs\\a.md'])
    await expect(read(asking(ada, reader), path), path).rejects.toMatchObject({ status: expect.toSatisfy((status) => [404, 422].includes(Number(status))) });
  // Only she can use her grant: not the agent's owner, not anonymous callers', not an agent's that calls for
  // her, not another agent's.
  const calling = runOf(world.ctx, agent, ada.actor.user_id);
  await make(calling, 'x');
  const through = runOf(world.ctx, reader, ada.actor.user_id, { parent_run_id: calling.actor.run_id, caller: { kind: 'run', id: agent.name } });
  for (const run of [asking(ben, reader), asking(null, reader), through, asking(ada)]) {
    expect(await list(run)).toEqual([]);
    await expect(read(run, 'docs/a.md')).rejects.toMatchObject({ status: 404 });
  }
  // Passed on with the request, for any caller; only to its addressee.
  const headers = { 'svc-grant': given.token };
  expect(await list(asking(null, reader), headers)).toEqual([at('docs/a.md'), at('docs/b.md')]);
  await expect(list(asking(ben), headers)).rejects.toMatchObject({ status: 403, code: 'grant_invalid' });

  await revokeGrant(ada, { grant_id: given.grant.grant_id });
  expect(await list(asking(ada, reader))).toEqual([]);
  await expect(read(asking(ada, reader), 'docs/a.md')).rejects.toMatchObject({ status: 404 });
  await expect(list(asking(null, reader), headers)).rejects.toMatchObject({ status: 403 });

  const short = await grant(reader, ada);
  await world.ctx
    .db('grants')
    .where({ grant_id: short.grant.grant_id })
    .update({ expires_at: new Date(Date.now() - 1000).toISOString() });
  expect(await list(asking(ada, reader))).toEqual([]);
});

test("an agent that took a deleted agent's name has nothing of what that was granted", async () => {
  const gone = await liveAgent(world.ctx, ben.actor.user_id, { visibility: 'public' });
  await put('ada', 'docs/kept.md', 'kept');
  await grant(gone, ada);
  expect((await as(asking(ada, gone)).listFiles({ headers: {}, query: { limit: 100 } })).items).not.toEqual([]);
  const later = new Date(Date.now() + 60_000).toISOString();
  const heir = await liveAgent(world.ctx, ben.actor.user_id, { visibility: 'public' });
  await world.ctx.db('agents').where({ agent_id: gone.id }).update({ deleted_at: later });
  await world.ctx.db('agents').where({ agent_id: heir.id }).update({ name: gone.name, created_at: later });
  expect((await as(asking(ada, { ...heir, name: gone.name })).listFiles({ headers: {}, query: { limit: 100 } })).items).toEqual([]);
});

// What agents remember, through the API: whose it is, how it is kept, found and forgotten.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf } from '#contract/client.ts';
import { contract } from '#contract/index.ts';
import { MAX_MEMORY_ENTRIES } from '#contract/wire/limits.ts';
import { expire } from '#core/platform/housekeeping/expire.ts';
import { getMemory } from '#core/agents/memory/read.ts';
import { putMemory } from '#core/agents/memory/put.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { controlPlane } from '#sdk/typescript/platform/control-plane.ts';
import type { RunIdentity } from '#sdk/typescript/runtime/platform.ts';
import { liveAgent, runOf, type LiveAgent } from '#test/support/runs.ts';
import { userActor } from '#test/support/verbs.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type Who, type World } from '#test/api/world.ts';

let world: World;
let agent: LiveAgent;
let users: Record<'ada' | 'ben', string>;
beforeAll(async () => {
  world = await createWorld();
  const named = async (name: string): Promise<string> => (await world.ctx.db('users').whereLike('email', `${name}-%`).first('user_id'))?.user_id ?? '';
  users = { ada: await named('ada'), ben: await named('ben') };
  agent = await liveAgent(world.ctx, users.ada, { visibility: 'public' });
});
afterAll(() => world.close());

const memory = (who: Who = 'ada') => world.as(who).agentMemory;
const params = () => ({ name: agent.name });
const at = (key: string, namespace = 'default') => ({ params: { ...params(), namespace, key } });
const put = (key: string, value: unknown, more: object = {}, who: Who = 'ada') =>
  memory(who).upsert({ params: params(), body: { key, value: value as string, ...more } });
/** A running skill's own client. */
const asRun = (userId: string | null, of: LiveAgent = agent) =>
  clientOf(contract, { baseUrl: world.url, token: () => mintRunCredential(world.ctx.drivers.vault, runOf(world.ctx, of, userId).actor, Date.now() + 60_000) })
    .agentMemory;

verifies('agentMemory.upsert', 'keeps JSON as it is, counts versions, and writes in place of what was there', async () => {
  const value = { list: [1, -0.5, null, true, { 'a key': 'ä\u{1F600}\n' }], empty: {} };
  const first = await put('whole', value, { metadata: { source: 'test' } });
  expect(first).toMatchObject({ namespace: 'default', key: 'whole', value, metadata: { source: 'test' }, version: 1, expires_at: null });
  expect(await memory().get(at('whole'))).toEqual(first);
  expect(await put('whole', 7)).toMatchObject({ value: 7, metadata: {}, version: 2, created_at: first.created_at });
});
verifies('agentMemory.create', 'is the same as PUT', async () => {
  await memory().create({ params: params(), body: { key: 'posted', value: [1] } });
  expect(await memory().create({ params: params(), body: { key: 'posted', value: [2] } })).toMatchObject({ version: 2, value: [2] });
});

test('if_version writes only over what the caller has seen; 0 only where nothing is', async () => {
  expect(await put('cas', 1, { if_version: 0 })).toMatchObject({ version: 1 });
  const taken = { status: 409, code: 'version_conflict', detail: { version: 1 } };
  await expect(put('cas', 2, { if_version: 0 })).rejects.toMatchObject(taken);
  await expect(put('cas', 2, { if_version: 2 })).rejects.toMatchObject(taken);
  await expect(put('never', 2, { if_version: 1 })).rejects.toMatchObject({ detail: { version: 0 } });
  expect(await put('cas', 2, { if_version: 1 })).toMatchObject({ version: 2, value: 2 });
});

test('a hundred writers at once: every write counts, and of those on condition one wins', async () => {
  await Promise.all(Array.from({ length: 100 }, (_, n) => put('busy', n)));
  expect(await memory().get(at('busy'))).toMatchObject({ version: 100 });
  const won = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => put('busy', n, { if_version: 100 })));
  expect(won.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await memory().get(at('busy'))).toMatchObject({ version: 101 });
});

verifies('agentMemory.get', 'names any key: unicode, slashes, spaces, percent signs', async () => {
  for (const key of ['a/b/c', 'ключ/鍵', 'with space', '100%/x', 'q?a=1&b#c', 'e\u0301', '\u00e9', '\u{1F600}', '...', 'x'.repeat(512)]) {
    await put(key, key);
    expect(await memory().get(at(key)), key).toMatchObject({ key, value: key });
  }
});
test('keys that no address could name, and what is no text, are refused', async () => {
  for (const key of ['', '/', 'a/', '/a', 'a//b', '.', '..', 'a/../b', '\0', 'a\0b', '\ud800', 'x'.repeat(513)])
    await expect(put(key, 1), JSON.stringify(key)).rejects.toMatchObject({ status: 422 });
  for (const namespace of ['', '..', 'a/b', 'a b', 'x'.repeat(129)]) await expect(put('k', 1, { namespace })).rejects.toMatchObject({ status: 422 });
  for (const value of ['a\0', { '\0': 1 }, ['\udfff']]) await expect(put('k', value)).rejects.toMatchObject({ status: 422 });
  await expect(put('k', undefined)).rejects.toMatchObject({ status: 422 });
});
test('values, metadata and the number of entries are bounded', async () => {
  await put('large', 'x'.repeat(256 * 1024 - 2));
  await expect(put('large', 'x'.repeat(256 * 1024 - 1))).rejects.toMatchObject({ status: 413, code: 'memory_too_large' });
  await expect(put('large', 1, { metadata: { a: 'x'.repeat(16 * 1024) } })).rejects.toMatchObject({ status: 413 });
  const full = await liveAgent(world.ctx, users.ada);
  await world.ctx.db.raw(
    `insert into agent_memories (agent_id, user_id, namespace, key, value, size_bytes, search_text)
     select ?, ?, 'n', 'k' || n, '1', 1, 'k' from generate_series(1, ?) n`,
    [full.id, users.ada, MAX_MEMORY_ENTRIES],
  );
  const over = (key: string) => memory().upsert({ params: { name: full.name }, body: { namespace: 'n', key, value: 2 } });
  await expect(over('one-more')).rejects.toMatchObject({ status: 409, code: 'memory_full' });
  expect(await over('k1')).toMatchObject({ version: 2 });
});

verifies('agentMemory.list', 'gives pages by namespace and key, of one namespace or prefix, and ends a page where it grows large', async () => {
  for (const key of ['b', 'a/2', 'a/1', 'B', 'ä']) await put(key, key, { namespace: 'list' });
  const list = async (query: object) => (await memory().list({ params: params(), query: { namespace: 'list', ...query } })).items.map(({ key }) => key);
  expect(await list({})).toEqual(['B', 'a/1', 'a/2', 'b', 'ä']);
  expect(await list({ prefix: 'a/' })).toEqual(['a/1', 'a/2']);
  expect(await list({ prefix: '%' })).toEqual([]);
  for (let n = 0; n < 20; n++) await put(`big${String(n).padStart(2, '0')}`, 'y'.repeat(250_000), { namespace: 'list2' });
  const seen: string[] = [];
  let pages = 0;
  for (let cursor: string | null | undefined; cursor !== null; pages++) {
    const page = await memory().list({ params: params(), query: { namespace: 'list2', ...(cursor && { cursor }) } });
    seen.push(...page.items.map(({ key }) => key));
    cursor = page.next_cursor;
  }
  expect([seen.length, new Set(seen).size, pages]).toEqual([20, 20, 2]);
  await expect(memory().list({ params: params(), query: { cursor: 'x' } })).rejects.toMatchObject({ status: 400 });
});

verifies('agentMemory.search', 'finds words of key, value and metadata, their beginnings and misspellings, best first', async () => {
  await put('invoice/42', { text: 'The Größenwahn invoice was paid in Lisbon', lines: [{ sum: 1999 }] }, { namespace: 's', metadata: { author: 'Benedikt' } });
  await put('notes', 'an invoice, somewhere', { namespace: 's' });
  const found = async (q: string, who: Who = 'ada') =>
    (await memory(who).search({ params: params(), query: { q, namespace: 's' } })).items.map(({ key }) => key);
  expect(await found('lisbon')).toEqual(['invoice/42']);
  expect((await found('invoice')).sort()).toEqual(['invoice/42', 'notes']);
  for (const q of ['1999', 'größen', 'benedikt', 'lisbin', 'INVOICE paid', '42']) expect((await found(q))[0], q).toBe('invoice/42');
  expect(await found('zebra')).toEqual([]);
  expect(await found(`' & | ! :* <-> \\`)).toEqual([]);
  expect(await found('invoice', 'ben')).toEqual([]);
});

test('what has served its time is hidden at once, leaves room, and is deleted by housekeeping', async () => {
  const later = { ...world.ctx, actor: userActor(users.ada), clock: () => Date.now() + 61_000 };
  await put('brief', 1, { ttl_seconds: 60 });
  const place = { name: agent.name, namespace: 'default', key: 'brief' };
  await expect(getMemory(later, place)).rejects.toMatchObject({ code: 'memory_not_found' });
  expect(await putMemory(later, { ...place, value: 2, metadata: {}, ttl_seconds: null, if_version: 0 })).toMatchObject({ version: 2, value: 2 });
  await put('gone', 1, { ttl_seconds: 60 });
  expect(await expire(world.ctx.db, Date.now())).toMatchObject({ agent_memories: 0 });
  expect(await expire(world.ctx.db, Date.now() + 61_000)).toMatchObject({ agent_memories: 1 });
  expect(await memory().get(at('brief'))).toMatchObject({ value: 2 });
});

verifies('agentMemory.delete', 'forgets', async () => {
  await put('forget/me', 1);
  await memory().delete(at('forget/me'));
  await expect(memory().get(at('forget/me'))).rejects.toMatchObject({ status: 404, code: 'memory_not_found' });
  await expect(memory().delete(at('forget/me'))).rejects.toMatchObject({ status: 404 });
});

test("no caller sees what is remembered of another user: not the agent's owner, not another user's run, not a run without a user", async () => {
  await put('diary', 'secret of ben', {}, 'ben');
  await expect(memory('ada').get(at('diary'))).rejects.toMatchObject({ status: 404 });
  await expect(memory('ada').delete(at('diary'))).rejects.toMatchObject({ status: 404 });
  expect(JSON.stringify(await memory('ada').list({ params: params() }))).not.toContain('secret of ben');
  expect((await memory('ada').search({ params: params(), query: { q: 'secret of ben' } })).items).toEqual([]);
  expect(await asRun(users.ben).get(at('diary'))).toMatchObject({ value: 'secret of ben' });
  await asRun(users.ben).upsert({ params: params(), body: { key: 'of the run', value: 1 } });
  expect(await memory('ben').get(at('of the run'))).toMatchObject({ value: 1 });
  await expect(asRun(users.ada).get(at('diary'))).rejects.toMatchObject({ status: 404 });
  const other = await liveAgent(world.ctx, users.ada, { visibility: 'public' });
  await expect(asRun(users.ben, other).get(at('diary'))).rejects.toMatchObject({ status: 404, code: 'agent_not_found' });
  await expect(asRun(null).get(at('diary'))).rejects.toMatchObject({ status: 409, code: 'run_without_user' });
  expect(world.logs.join('\n')).not.toContain('secret of ben');
});

test('what is shared is of the agent: its runs for anybody and its owner have it, other accounts and other agents do not', async () => {
  const shared = { query: { shared: true } } as const;
  const [ofNobody, ofBen] = [asRun(null), asRun(users.ben)];
  await ofNobody.upsert({ params: params(), body: { key: 'form', value: 'of nobody', shared: true } });
  await ofBen.upsert({ params: params(), body: { key: 'form', value: 'only of ben' } });
  const version = { status: 409, code: 'version_conflict' };
  await expect(ofBen.upsert({ params: params(), body: { key: 'form', value: 1, shared: true, if_version: 0 } })).rejects.toMatchObject(version);
  const theirs = { ...at('form'), ...shared };
  for (const who of [ofNobody, ofBen, memory('ada')]) expect(await who.get(theirs)).toMatchObject({ value: 'of nobody', shared: true });
  expect(await ofBen.get(at('form'))).toMatchObject({ value: 'only of ben', shared: false });
  const listed = await memory('ada').list({ params: params(), query: { shared: true, prefix: 'form' } });
  expect(listed.items.map(({ value }) => value)).toEqual(['of nobody']);
  expect((await memory('ada').search({ params: params(), query: { q: 'nobody', shared: true } })).items).toHaveLength(1);
  const other = asRun(users.ben, await liveAgent(world.ctx, users.ada, { visibility: 'public' }));
  for (const who of [memory('ben'), other]) {
    await expect(who.get(theirs)).rejects.toMatchObject({ status: 404, code: 'agent_not_found' });
    await expect(who.list({ params: params(), ...shared })).rejects.toMatchObject({ code: 'agent_not_found' });
    await expect(who.upsert({ params: params(), body: { key: 'form', value: 2, shared: true } })).rejects.toMatchObject({ code: 'agent_not_found' });
    await expect(who.delete(theirs)).rejects.toMatchObject({ code: 'agent_not_found' });
  }
  await memory('ada').delete(theirs);
  await expect(ofNobody.get(theirs)).rejects.toMatchObject({ code: 'memory_not_found' });
});

test('when an agent is no longer listed, what it remembers of somebody is still theirs to read and delete', async () => {
  const listed = await liveAgent(world.ctx, users.ada, { visibility: 'public' });
  const there = { params: { name: listed.name, namespace: 'default', key: 'k' } };
  await memory('ben').upsert({ params: { name: listed.name }, body: { key: 'k', value: 1 } });
  await world.ctx.db('agents').where({ agent_id: listed.id }).update({ visibility: 'unlisted' });
  expect(await memory('ben').get(there)).toMatchObject({ value: 1 });
  await memory('ben').delete(there);
  await expect(memory('ben').get(there)).rejects.toMatchObject({ code: 'agent_not_found' });
});

test.each(['memory', 'sharedMemory'] as const)('ctx.%s of a running skill is the same memory, by its credential', async (which) => {
  const { actor } = runOf(world.ctx, agent, which === 'memory' ? users.ben : null);
  const token = await mintRunCredential(world.ctx.drivers.vault, actor, Date.now() + 60_000);
  const run: Partial<RunIdentity> = { runId: actor.run_id, requestId: 'req', agent: agent.name, skill: 'work', token, signal: new AbortController().signal };
  const { [which]: own } = controlPlane({ url: world.url }).attach(run as RunIdentity); // what memory asks of it
  const key = 'ключ/a b%';
  expect(await own.put(key, { n: 1 }, { namespace: 'sdk', ttlSeconds: 60, metadata: { m: 1 } })).toMatchObject({ key, version: 1, value: { n: 1 } });
  expect(await own.get(key, { namespace: 'sdk' })).toMatchObject({ metadata: { m: 1 }, expiresAt: expect.any(String) });
  expect(await own.get(key)).toBeUndefined();
  expect(await own.put(key, 2, { namespace: 'sdk', ifVersion: 9 })).toBeUndefined();
  expect((await own.list({ namespace: 'sdk' })).items).toHaveLength(1);
  expect(await own.search('ключ', { namespace: 'sdk' })).toMatchObject([{ key }]);
  expect([await own.delete(key, { namespace: 'sdk' }), await own.delete(key, { namespace: 'sdk' })]).toEqual([true, false]);
  await expect(own.put('x', 'y'.repeat(300_000))).rejects.toMatchObject({ platformCode: 'memory_too_large' });
});

// Memory as a laptop has it, through the methods that workers in other languages speak.
import { expect, test } from 'vitest';
import { CONTEXT_METHODS } from '../../../contract/wire/context-methods.ts';
import type { RunContext } from '../authoring/context.ts';
import { ContextCalls } from '../sidecar/context-calls.ts';
import { LocalMemories } from './local-memory.ts';
import { LocalMetaRuns } from './local-meta-runs.ts';

const memories = new LocalMemories();

test('is kept by agent, counts versions, writes on condition, forgets on its own, is listed and found', async () => {
  const memory = memories.of('one');
  expect(await memory.put('a/1', { city: 'Lisbon' }, { metadata: { by: 'x' } })).toMatchObject({ version: 1, expiresAt: null });
  expect(await memories.of('one').get('a/1')).toMatchObject({ value: { city: 'Lisbon' } });
  expect(await memories.of('two').get('a/1')).toBeUndefined();
  expect(await memory.put('a/1', 1, { ifVersion: 0 })).toBeUndefined();
  expect(await memory.put('a/1', { city: 'Porto' }, { ifVersion: 1 })).toMatchObject({ version: 2 });
  await memory.put('a/2', 'x', { ttlSeconds: -1 });
  expect(await memory.get('a/2')).toBeUndefined();
  await memory.put('a/3', 'y');
  const page = await memory.list({ prefix: 'a/', limit: 1 });
  expect(page.items.map(({ key }) => key)).toEqual(['a/1']);
  expect((await memory.list({ prefix: 'a/', cursor: page.nextCursor })).items.map(({ key }) => key)).toEqual(['a/3']);
  expect(await memory.search('porto')).toMatchObject([{ key: 'a/1', score: 1 }]);
  expect([await memory.delete('a/3'), await memory.delete('a/3')]).toEqual([true, false]);
  for (const key of ['', '..', 'a//b', '/a']) await expect(memory.get(key), key).rejects.toThrow(TypeError);
});

test('a worker reaches all of it, and every answer fits the protocol', async () => {
  const calls = new ContextCalls({ memory: memories.of('worker') } as unknown as RunContext); // the rest of the context is not asked
  const say = async (method: 'memory.get' | 'memory.put' | 'memory.delete' | 'memory.list' | 'memory.search', params: Record<string, unknown>) => {
    const value = await calls.call(method, params);
    expect(CONTEXT_METHODS[method].value.parse(value)).toEqual(value);
    return value;
  };
  expect(await say('memory.get', { key: 'k' })).toBeNull();
  expect(await say('memory.put', { key: 'k', value: [1], ttl_seconds: null, if_version: null })).toMatchObject({
    namespace: 'default',
    version: 1,
    value: [1],
  });
  expect(await say('memory.put', { key: 'k', value: 2, if_version: 7 })).toBeNull();
  expect(await say('memory.list', { namespace: null, prefix: null, cursor: null })).toMatchObject({ items: [{ key: 'k' }], next_cursor: null });
  expect(await say('memory.search', { query: 'k' })).toMatchObject([{ key: 'k', score: 1 }]);
  expect(await say('memory.delete', { key: 'k' })).toBe(true);
});

test('goals over the worker protocol: the values of every method are what the protocol says', async () => {
  const tracked: unknown[] = [];
  const context = { metaRuns: new LocalMetaRuns().of('worker'), trackCall: async (call: unknown) => void tracked.push(call) };
  const calls = new ContextCalls(context as unknown as RunContext); // the rest of the context is not asked
  const say = async (method: 'meta_runs.create' | 'meta_runs.get' | 'meta_runs.list' | 'meta_runs.update' | 'track_call', params: Record<string, unknown>) => {
    const value = await calls.call(method, params);
    expect(CONTEXT_METHODS[method].value.parse(value)).toEqual(value);
    return value;
  };
  const made = (await say('meta_runs.create', { goal: 'Ship it', plan: { a: 1 } })) as { id: string };
  expect(made).toMatchObject({ goal: 'Ship it', plan: { a: 1 }, status: 'planning', version: 1, ended_at: null });
  expect(await say('meta_runs.update', { id: made.id, version: 1, status: 'succeeded', goal: null })).toMatchObject({
    version: 2,
    ended_at: expect.any(String),
  });
  expect(await say('meta_runs.get', { id: 'mrn_none' })).toBeNull();
  expect(await say('meta_runs.list', { state: 'open', cursor: null })).toEqual({ items: [], next_cursor: null });
  expect(await say('meta_runs.list', {})).toMatchObject({ items: [{ id: made.id }] });
  await say('track_call', { grant: 'a.b', skill: 'look', state: 'running', started_at: '2026-01-02T03:04:05.006Z', args: { n: 1 } });
  expect(tracked).toEqual([expect.objectContaining({ grant: 'a.b', startedAt: '2026-01-02T03:04:05.006Z', endedAt: null, args: { n: 1 } })]);
});

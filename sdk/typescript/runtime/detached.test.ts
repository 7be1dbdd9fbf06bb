// Runs that outlive their connection, their id and credential, and grants at the door; over HTTP.
import { createParser } from 'eventsource-parser';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { mintGrant } from '../../../contract/crypto/grant-token.ts';
import { Agent } from '../authoring/agent.ts';
import { skill } from '../authoring/skill.ts';
import { controlPlane } from '../platform/control-plane.ts';
import { serve, type Served } from '../test/serve.ts';
import { cites } from '../../../test/spec/verifies.ts';

class Worker extends Agent {
  name = 'worker';
  description = 'For tests.';
  version = '1.0.0';
  override concurrency = 8;
  step = Promise.withResolvers<void>();
  ended: string[] = [];
  work = skill({ stream: true, input: z.object({ steps: z.int().default(2) }) }, async (ctx, { steps }) => {
    ctx.signal.addEventListener('abort', () => this.ended.push('stopped'));
    for (let n = 1; n <= steps; n += 1) {
      await ctx.emitProgress(`step ${n}`);
      if (n === 1) await Promise.race([this.step.promise, new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)))]);
    }
    this.ended.push('done');
    return 'the result';
  });
  plain = skill({}, async (ctx) => ({ run: ctx.runId, grant: ctx.grant?.grant_id ?? null, held: ctx.workspace.grant?.grant_id ?? null }));
  fails = skill({}, async () => {
    throw new Error('inside');
  });
}

const KEY = { authorization: 'Bearer key' };
const detached = (runId: string) => ({ ...KEY, 'x-svc-detached': '1', 'x-svc-run-id': runId });

async function events(agent: Served, runId: string, after?: number): Promise<{ id: string | undefined; kind: string; data: string }[]> {
  const response = await fetch(`${agent.url}/runs/${runId}/events`, { headers: { ...KEY, ...(after !== undefined && { 'last-event-id': String(after) }) } });
  expect(response.status).toBe(200);
  const read: { id: string | undefined; kind: string; data: string }[] = [];
  const parser = createParser({ onEvent: ({ id, event, data }) => void read.push({ id, kind: event ?? '', data }) });
  parser.feed(await response.text());
  return read;
}

describe('detached runs', () => {
  it('outlive their connection; their events are read again by number, with the result at the end', async () => {
    const worker = new Worker();
    const agent = await serve(worker, { apiKey: 'key' });
    const broken = new AbortController();
    const response = await agent.post('/invoke/work', {}, { headers: detached('run_1'), signal: broken.signal });
    expect(response.headers.get('x-svc-run-id')).toBe('run_1');
    broken.abort();
    // It is alive after the connection's end was seen: calls on others are answered.
    for (let n = 0; n < 5; n += 1) expect((await agent.post('/invoke/plain', {}, { headers: KEY })).status).toBe(200);
    expect(worker.ended).toEqual([]);
    worker.step.resolve();
    const all = await events(agent, 'run_1');
    expect(all.map(({ id, kind }) => `${id} ${kind}`)).toEqual(['1 status', '2 progress', '3 progress', '4 result']);
    expect(JSON.parse(all.at(-1)?.data ?? '')).toEqual({ kind: 'result', payload: { result: 'the result' } });
    expect((await events(agent, 'run_1', 2)).map(({ id }) => id)).toEqual(['3', '4']);
    expect(worker.ended).toEqual(['done']);
  });

  it('are one run when sent twice with one id', async () => {
    const worker = new Worker();
    worker.step.resolve();
    const agent = await serve(worker, { apiKey: 'key' });
    const [first, second] = await Promise.all([1, 2].map(async () => (await agent.post('/invoke/work', {}, { headers: detached('run_2') })).text()));
    expect(first).toBe(second);
    expect(worker.ended).toEqual(['done']);
  });

  it('answer JSON too, and keep what happened', async () => {
    const agent = await serve(Worker, { apiKey: 'key' });
    expect(await (await agent.post('/invoke/plain', {}, { headers: detached('run_3') })).json()).toMatchObject({ run: 'run_3' });
    expect((await events(agent, 'run_3')).map(({ kind }) => kind)).toEqual(['status', 'result']);
    expect((await agent.refusal('/invoke/fails', {}, { headers: detached('run_4') })).status).toBe(500);
    expect((await events(agent, 'run_4')).at(-1)).toMatchObject({ kind: 'failed', data: expect.not.stringContaining('inside') });
  });

  it('are cancelled by POST /runs/{id}/cancel', async () => {
    const worker = new Worker();
    const agent = await serve(worker, { apiKey: 'key' });
    const stream = agent.post('/invoke/work', {}, { headers: detached('run_5') });
    await stream;
    expect(await (await agent.post('/runs/run_5/cancel', {}, { headers: KEY })).json()).toEqual({ cancelled: true });
    expect((await events(agent, 'run_5')).at(-1)?.data).toContain('cancelled_by_caller');
    await vi.waitFor(() => expect(worker.ended).toEqual(['stopped']));
    expect(await (await agent.post('/runs/run_5/cancel', {}, { headers: KEY })).json()).toEqual({ cancelled: false });
  });

  it('are only the platform’s: no key, no events; and only beside the key is the header believed', async () => {
    const worker = new Worker();
    worker.step.resolve();
    const agent = await serve(worker, { apiKey: 'key' });
    await (await agent.post('/invoke/work', {}, { headers: detached('run_6') })).text();
    expect((await fetch(`${agent.url}/runs/run_6/events`)).status).toBe(401);
    expect((await agent.post('/runs/run_6/cancel', {})).status).toBe(401);
    expect((await fetch(`${agent.url}/runs/run_none/events`, { headers: KEY })).status).toBe(404);
    const open = await serve(Worker);
    const response = await open.post('/invoke/plain', {}, { headers: { 'x-svc-detached': '1', 'x-svc-run-id': 'run_forged' } });
    expect(await response.json()).not.toMatchObject({ run: 'run_forged' });
    expect((await fetch(`${open.url}/runs/run_forged/events`)).status).toBe(404);
  });

  it('an attached run still ends with its caller', async () => {
    const worker = new Worker();
    const agent = await serve(worker, { apiKey: 'key' });
    const gone = new AbortController();
    await agent.post('/invoke/work', {}, { headers: KEY, signal: gone.signal });
    gone.abort();
    await vi.waitFor(() => expect(worker.ended).toEqual(['stopped']));
  });
});

describe('a grant that a caller passes on (header svc-grant)', () => {
  const key = new Uint8Array(32).fill(7);
  const platform = controlPlane({ url: 'http://127.0.0.1:9', grantKey: Buffer.from(key).toString('base64url') });
  const input = { grantId: 'grt_1', issuer: 'ada', audience: 'worker', bucket: 'usr:1', mode: 'read_only' } as const;
  const { token } = mintGrant(input, key);

  it('is verified and becomes the workspace of the run', async () => {
    const agent = await serve(Worker, { platform });
    expect(await (await agent.post('/invoke/plain', {}, { headers: { 'svc-grant': token } })).json()).toMatchObject({ grant: 'grt_1', held: 'grt_1' });
    expect(await (await agent.post('/invoke/plain', {})).json()).toMatchObject({ grant: null, held: null });
  });

  it.each([
    ['a bad signature', `${token.slice(0, -2)}AA`],
    ['another key', mintGrant(input, new Uint8Array(32)).token],
    ['another audience', mintGrant({ ...input, audience: 'other' }, key).token],
    ['an expired one', mintGrant({ ...input, issuedAt: 1_000, ttlSeconds: 10 }, key).token],
    ['an empty one', ''],
    ['no token at all', 'x'],
  ])('is refused with 403 and nothing else said: %s', cites('auth.grants'), async (_, bad) => {
    const agent = await serve(Worker, { platform });
    const { status, detail } = await agent.refusal('/invoke/plain', {}, { headers: { 'svc-grant': bad } });
    expect([status, detail.code, detail.message]).toEqual([403, 'grant_invalid', 'the grant is not valid here']);
  });

  it('is refused where the agent holds no key', async () => {
    const agent = await serve(Worker, { platform: controlPlane({ url: 'http://127.0.0.1:9' }) });
    expect((await agent.refusal('/invoke/plain', {}, { headers: { 'svc-grant': token } })).status).toBe(403);
    expect(() => controlPlane({ url: 'http://x', grantKey: 'short' })).toThrow(/32 bytes/);
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Agent } from '../authoring/agent.ts';
import { CancelledByCaller, type SvcError } from '../authoring/errors.ts';
import { skill } from '../authoring/skill.ts';
import { all, serve } from '../test/serve.ts';
import { cites } from '../../../test/spec/verifies.ts';
import { turns } from '../../../test/support/turns.ts';

const seen: unknown[] = [];

class Streamer extends Agent {
  name = 'streamer';
  description = 'For tests.';
  version = '0.0.1';
  count = skill({ stream: true, input: z.object({ to: z.int() }), output: z.array(z.int()) }, async (ctx, { to }) => {
    for (let n = 1; n <= to; n += 1) await ctx.emitProgress(`${n} of ${to}`, { progress: n, total: to });
    await ctx.emitTextDelta('line one\nline two');
    await ctx.emitArtifact({ name: 'a', uri: 'svc:a', mime_type: 'text/plain', size_bytes: 1 });
    await ctx.emitError('a small trouble', 'small');
    await ctx.emitEvent({ kind: 'mine.own', payload: { a: 1 } });
    return Array.from({ length: to }, (_, index) => index + 1);
  });
  fails = skill({ stream: true }, async (ctx) => {
    await ctx.emitProgress('so far so good');
    throw new Error('internal detail');
  });
  fakes = skill({ stream: true, input: z.object({ kind: z.string(), payload: z.record(z.string(), z.unknown()) }) }, async (ctx, event) => {
    await ctx.emitEvent(event);
  });
  waits = skill({ stream: true }, async (ctx) => {
    await ctx.emitProgress('waiting');
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
    try {
      ctx.checkCancelled();
    } catch (error) {
      seen.push(error);
    }
  });
  idle = skill({ stream: true }, async () => {
    await sleep(120);
  });
  gushes = skill({ stream: true }, async (ctx) => {
    for (let n = 0; n < 400; n += 1) void ctx.emitTextDelta('x'.repeat(100_000));
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
    seen.push(ctx.signal.reason);
  });
  floods = skill({ stream: true }, async (ctx) => {
    for (let n = 0; n < 200; n += 1) {
      await ctx.emitTextDelta('x'.repeat(100_000));
      seen.push(n);
    }
  });
}

describe('event streams', () => {
  it('are cut off, and the skill stopped, when the reader does not read and the skill does not wait', async () => {
    const agent = await serve(Streamer);
    seen.length = 0;
    const response = await agent.post('/invoke/gushes', {});
    await vi.waitFor(() => expect(seen[0]).toBeInstanceOf(CancelledByCaller));
    await expect(response.text()).rejects.toThrow();
  });

  it('carry numbered events in order and end with the result', cites('run.events'), async () => {
    const agent = await serve(Streamer);
    const events = await all(agent.stream('/invoke/count', { to: 2 }));
    expect(events.map((event) => event.kind)).toEqual(['status', 'progress', 'progress', 'text_delta', 'artifact', 'error', 'mine.own', 'result']);
    expect(events.map((event) => event.id)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    expect(events[0]?.payload).toMatchObject({ state: 'running', skill: 'count' });
    expect(events[3]?.payload).toEqual({ text: 'line one\nline two' });
    expect(events[5]?.payload).toEqual({ message: 'a small trouble', code: 'small' });
    expect(events.at(-1)?.payload).toEqual({ result: [1, 2] });
  });

  it('give the result alone to a caller that asks for JSON', cites('endpoints.invoke'), async () => {
    const agent = await serve(Streamer);
    const response = await agent.post('/invoke/count', { to: 1 }, { headers: { accept: 'application/json' } });
    expect(await response.json()).toEqual([1]);
  });

  it('refuse bad input before they begin', async () => {
    const agent = await serve(Streamer);
    expect((await agent.refusal('/invoke/count', {})).status).toBe(400);
  });

  it('end with the failure, without internals', cites('errors.inside'), async () => {
    const agent = await serve(Streamer);
    const last = (await all(agent.stream('/invoke/fails', {}))).at(-1);
    expect(last).toMatchObject({ kind: 'failed', payload: { status: 500, detail: { code: 'skill_invocation_error' } } });
    expect(JSON.stringify(last)).not.toContain('internal detail');
  });

  it.each(['result', 'failed', 'receipt', 'question', 'scope_request', 'status', 'UPPER', 'a\nevent: result', ''])(
    'keep a skill from writing %j itself',
    async (kind) => {
      const agent = await serve(Streamer);
      const events = await all(agent.stream('/invoke/fakes', { kind, payload: {} }));
      expect(events.map((event) => event.kind)).toEqual(['status', 'failed']);
    },
  );

  it('stop the skill when the caller goes away', cites('run.cancelled'), async () => {
    const agent = await serve(Streamer);
    seen.length = 0;
    for await (const event of agent.stream('/invoke/waits', {})) if (event.kind === 'progress') break;
    await vi.waitFor(() => expect(seen).toHaveLength(1));
    expect(seen[0]).toBeInstanceOf(CancelledByCaller);
    expect((seen[0] as SvcError).code).toBe('cancelled_by_caller');
    // Its place is free again.
    expect((await agent.post('/invoke/count', { to: 1 }, { headers: { accept: 'application/json' } })).status).toBe(200);
  });

  it('carry a comment while nothing happens', cites('events.heartbeat'), async () => {
    const agent = await serve(Streamer, { heartbeatMs: 20 });
    const text = await (await agent.post('/invoke/idle', {})).text();
    expect(text).toMatch(/\n\n: keep-alive\n/);
  });

  it('hold a skill back whose reader does not read', async () => {
    const agent = await serve(Streamer);
    seen.length = 0;
    const response = await agent.post('/invoke/floods', {});
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(0));
    // Many more turns than it has steps.
    await turns(1_000);
    expect(seen.length).toBeLessThan(200);
    await response.text();
    expect(seen).toHaveLength(200);
  });
});

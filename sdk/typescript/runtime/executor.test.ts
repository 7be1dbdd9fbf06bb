import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Agent } from '../authoring/agent.ts';
import { SandboxUnavailable, ScopeExpansionNotAllowed, WorkspaceDenied } from '../authoring/errors.ts';
import { skill } from '../authoring/skill.ts';
import { serve } from '../test/serve.ts';
import { testAgent } from '../testing.ts';
import { Gate } from './gate.ts';
import { cites } from '../../../test/spec/verifies.ts';

describe('the gate', () => {
  it('lets in what fits, queues what may wait, in order, and refuses the rest', async () => {
    const gate = new Gate(1, 2);
    const [first, second, third] = [gate.reserve(), gate.reserve(), gate.reserve()];
    expect(first.ready).toBeUndefined();
    expect(() => gate.reserve()).toThrow(/try again in 1 s/);
    const order: number[] = [];
    void second.ready?.then(() => order.push(2));
    void third.ready?.then(() => order.push(3));
    first.release();
    first.release();
    await second.ready;
    expect([order, gate.running]).toEqual([[2], 1]);
    second.release();
    await third.ready;
    third.release();
    expect([order, gate.running]).toEqual([[2, 3], 0]);
  });

  it('forgets a caller that leaves the queue', async () => {
    const gate = new Gate(1, 1);
    const first = gate.reserve();
    gate.reserve().release();
    const next = gate.reserve();
    first.release();
    await next.ready;
    next.release();
    expect(gate.running).toBe(0);
  });
});

class Worker extends Agent {
  name = 'worker';
  description = 'For tests.';
  version = '1.0.0';
  open = Promise.withResolvers<void>();
  running = 0;
  most = 0;
  tries = 0;
  hold = skill({}, async () => {
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    await this.open.promise;
    this.running -= 1;
  });
  flaky = skill({ idempotent: true, maxRetries: 2, input: z.object({ failures: z.int() }) }, async (_ctx, { failures }) => {
    this.tries += 1;
    if (this.tries <= failures) throw new Error('not yet');
    return this.tries;
  });
  once = skill({ idempotent: true }, async () => {
    this.tries += 1;
    throw new Error('never');
  });
  deaf = skill({ timeoutSeconds: 0.02 }, async () => {
    this.running += 1;
    await this.open.promise;
    this.running -= 1;
  });
  nowhere = skill({ input: z.object({ what: z.string() }) }, async (ctx, { what }) => {
    if (what === 'ask') return await ctx.ask('?');
    if (what === 'workspace') return await ctx.workspace.search('x');
    if (what === 'sandbox') return await ctx.sandbox.runShell('true');
    return await ctx.requestScope({ reason: 'because' });
  });
}

describe('running skills', () => {
  it('never runs more than `concurrency` at once, and serves all', cites('run.concurrency'), async () => {
    const worker = new Worker();
    const agent = await serve(worker);
    const calls = Array.from({ length: 5 }, () => agent.post('/invoke/hold', {}));
    await vi.waitFor(() => expect(worker.running).toBe(1));
    worker.open.resolve();
    expect((await Promise.all(calls)).map((response) => response.status)).toEqual([200, 200, 200, 200, 200]);
    expect(worker.most).toBe(1);
  });

  it('answers 503 with Retry-After when the queue is full, and when the wait is too long', async () => {
    const worker = new Worker();
    const agent = await serve(worker, { maxQueued: 1, maxQueueMs: 30 });
    const first = agent.post('/invoke/hold', {});
    await vi.waitFor(() => expect(worker.running).toBe(1));
    const waiting = agent.refusal('/invoke/hold', {});
    const refused = await Promise.any([waiting, agent.refusal('/invoke/hold', {})]);
    expect([refused.status, refused.detail.code, refused.headers.get('retry-after')]).toEqual([503, 'agent_busy', '1']);
    expect((await waiting).detail.code).toBe('agent_busy');
    worker.open.resolve();
    expect((await first).status).toBe(200);
  });

  it('tries again where the author allowed it, and only there', cites('skill.retries'), async () => {
    const agent = testAgent(Worker);
    expect((await agent.invoke('flaky', { failures: 2 })).result).toBe(3);
    agent.agent.tries = 0;
    await expect(agent.invoke('flaky', { failures: 3 })).rejects.toThrow(/failed/);
    expect(agent.agent.tries).toBe(3);
    agent.agent.tries = 0;
    await expect(agent.invoke('once', {})).rejects.toThrow(/failed/);
    expect(agent.agent.tries).toBe(1);
  });

  it('answers at the deadline, but a skill that goes on keeps its place', cites('run.deadlines'), async () => {
    const worker = new Worker();
    const agent = await serve(worker);
    expect((await agent.refusal('/invoke/deaf', {})).status).toBe(504);
    expect(worker.running).toBe(1);
    worker.open.resolve();
    expect((await agent.post('/invoke/hold', {})).status).toBe(200);
    expect(worker.most).toBe(1);
  });

  it('frees the place of a caller that gave up waiting', async () => {
    const worker = new Worker();
    const agent = await serve(worker, { maxQueued: 1 });
    const first = agent.post('/invoke/hold', {});
    await vi.waitFor(() => expect(worker.running).toBe(1));
    const controller = new AbortController();
    // One of the two waits, the other is refused.
    const [one, two] = [1, 2].map(() => agent.post('/invoke/hold', {}, { signal: controller.signal }));
    expect((await Promise.race([one, two]))?.status).toBe(503);
    controller.abort();
    expect((await Promise.allSettled([one, two])).map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    worker.open.resolve();
    expect((await first).status).toBe(200);
    expect((await agent.post('/invoke/hold', {})).status).toBe(200);
  });

  it.each([
    ['workspace', WorkspaceDenied],
    ['sandbox', SandboxUnavailable],
    ['scope', ScopeExpansionNotAllowed],
  ])('says that %s needs what does not exist', async (what, error) => {
    await expect(testAgent(Worker).invoke('nowhere', { what })).rejects.toThrow(error);
  });
});

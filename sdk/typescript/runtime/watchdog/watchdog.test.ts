import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Agent } from '../../authoring/agent.ts';
import { skill } from '../../authoring/skill.ts';
import { QuestionPayload } from '../../../../contract/wire/events.ts';
import { all, serve, type Served } from '../../test/serve.ts';

const SECONDS = 0.4;
const forEver = (): never => {
  for (;;);
};

class Blocker extends Agent {
  name = 'blocker';
  description = 'For tests.';
  version = '1.0.0';
  override concurrency = 8;
  shared = Promise.withResolvers<void>();
  cleaned = 0;

  loop = skill({ timeoutSeconds: SECONDS }, async () => forEver());
  afterAwait = skill({ timeoutSeconds: SECONDS }, async () => {
    await sleep(5);
    forEver();
  });
  stubborn = skill({ timeoutSeconds: SECONDS }, async () => {
    for (;;) {
      try {
        forEver();
      } catch {
        this.cleaned += 1;
      } finally {
        this.cleaned += 1;
      }
    }
  });
  regex = skill({ timeoutSeconds: SECONDS }, async () => /^(a+)+$/.test(`${'a'.repeat(64)}b`));
  starving = skill({ timeoutSeconds: SECONDS }, async () => {
    for (;;) await Promise.resolve();
  });
  inTick = skill({ timeoutSeconds: SECONDS }, async () => {
    await new Promise(() => process.nextTick(forEver));
  });
  emitting = skill({ timeoutSeconds: SECONDS, stream: true }, async (ctx) => {
    await ctx.emitProgress('here it comes');
    forEver();
  });
  brief = skill({ timeoutSeconds: 20 }, async () => {
    const until = performance.now() + 1_500;
    while (performance.now() < until);
    return 'done';
  });
  /** Of its own accord it would end long before its time is up, if the loop turned. */
  innocent = skill({ timeoutSeconds: 1 }, async () => {
    await this.shared.promise;
    return 'innocent';
  });
  waits = skill({ timeoutSeconds: 20, input: z.object({ n: z.number() }) }, async (ctx, { n }) => {
    const local = { n, seen: [1] };
    const answer = await ctx.ask('Go on?', 60);
    local.seen.push(2);
    return { ...local, answer };
  });
  askThenLoop = skill({ timeoutSeconds: SECONDS }, async (ctx) => {
    await ctx.ask('Go on?', 60);
    forEver();
  });
  quick = skill({}, async () => 'quick');
}

/** Begins a run that asks, and resolves with its question; `ended` with its last event. */
async function asking(served: Served, path: string, args: object): Promise<{ question: string; ended: Promise<unknown> }> {
  const { promise: question, resolve } = Promise.withResolvers<string>();
  const ended = (async () => {
    let last: unknown;
    for await (const { kind, payload } of served.stream(path, args, { headers: { accept: 'text/event-stream' } })) {
      if (kind === 'question') resolve(QuestionPayload.parse(payload).question_id);
      last = { kind, payload };
    }
    return last;
  })();
  return { question: await question, ended };
}

class Single extends Blocker {
  override concurrency = 1;
}

describe('a handler that blocks the process', () => {
  it.each(['loop', 'afterAwait', 'stubborn', 'regex', 'starving', 'inTick'])('is ended at its deadline and answered as any other: %s', async (name) => {
    const agent = new Blocker();
    const served = await serve(agent);
    const { status, detail } = await served.refusal(`/invoke/${name}`, {});
    expect([status, detail.code, detail.message]).toEqual([504, 'skill_timeout', `skill "${name}" did not finish within ${SECONDS} s`]);
    expect(agent.cleaned).toBe(0);
    expect(await (await served.post('/invoke/quick', {})).json()).toBe('quick');
    await vi.waitFor(() => expect(served.log.find(({ code }) => code === 'skill_timeout')).toMatchObject({ level: 'error', blocked_ms: expect.any(Number) }));
    if (name !== 'starving') expect(served.log.find(({ code }) => code === 'skill_timeout')?.stack).toContain('watchdog.test.ts');
  });

  it('ends an event stream with the same error, after the events that were sent', async () => {
    const served = await serve(Blocker);
    const events = await all(served.stream('/invoke/emitting', {}));
    expect(events.map(({ kind }) => kind)).toEqual(['status', 'progress', 'failed']);
    expect(events.at(-1)?.payload).toMatchObject({ status: 504, detail: { code: 'skill_timeout' } });
  });

  it('leaves what waits in the process where it is, and takes calls again', async () => {
    const served = await serve(Blocker);
    const { question, ended } = await asking(served, '/invoke/waits', { n: 7 });
    for (const skillName of ['loop', 'afterAwait']) expect((await served.refusal(`/invoke/${skillName}`, {})).detail.code).toBe('skill_timeout');
    expect(await (await served.post(`/answers/${question}`, { answer: 'yes' })).json()).toEqual({ resolved: true });
    expect(await ended).toEqual({ kind: 'result', payload: { result: { n: 7, seen: [1, 2], answer: 'yes' } } });
    expect(served.activity()).toMatchObject({ working: 0, waiting: 0 });
  });

  it('ends a run that blocks when it resumes, after its answer was acknowledged', async () => {
    const served = await serve(Blocker);
    const { question, ended } = await asking(served, '/invoke/askThenLoop', {});
    expect(await (await served.post(`/answers/${question}`, { answer: 'yes' })).json()).toEqual({ resolved: true });
    expect(await ended).toMatchObject({ kind: 'failed', payload: { status: 504, detail: { code: 'skill_timeout' } } });
  });

  it('gives its place to the next in the queue, and the one before it gets its answer', async () => {
    const served = await serve(new Single());
    const [first, second, third] = await Promise.all(['quick', 'loop', 'quick'].map(async (name) => (await served.post(`/invoke/${name}`, {})).status));
    expect([first, second, third]).toEqual([200, 504, 200]);
  });

  it('may block as long as its own time lasts', async () => {
    const served = await serve(Blocker);
    expect(await (await served.post('/invoke/brief', {})).json()).toBe('done');
  });

  it('does not cost a run its time that waited meanwhile', async () => {
    const agent = new Blocker();
    const served = await serve(agent);
    const innocent = served.post('/invoke/innocent', {});
    await vi.waitFor(() => expect(served.activity().working).toBeGreaterThan(0));
    const brief = served.post('/invoke/brief', {});
    await brief;
    agent.shared.resolve();
    expect(await (await innocent).json()).toBe('innocent');
  });
});

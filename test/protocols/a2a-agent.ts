// The agent the task protocol's clients are tried on.
import { z } from 'zod';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';

export class TaskAgent extends Agent {
  name = 'task-agent';
  description = 'For tests.';
  version = '1.2.3';
  override concurrency = 16;
  override capabilities = { push_notifications: true };
  /** Runs of `waits` that were stopped. */
  stopped = 0;
  /** Lets `gated` continue. */
  gate = Promise.withResolvers<void>();

  greet = skill({ description: 'Greets.', tags: ['words'], input: z.object({ name: z.string() }) }, async (_ctx, { name }) => `Hello ${name}`);
  add = skill({ input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) }, async (_ctx, { a, b }) => ({ sum: a + b }));
  tells = skill({ stream: true }, async (ctx) => {
    await ctx.emitProgress('half', { progress: 1, total: 2 });
    await ctx.emitTextDelta('one ');
    await ctx.emitTextDelta('two');
    await ctx.emitArtifact({ name: 'list', uri: 'https://files.example/list', mime_type: 'text/plain', size_bytes: 3 });
    return { done: true };
  });
  asks = skill({}, async (ctx) => `${await ctx.ask('Which colour?')}, then ${await ctx.ask('Which size?')}`);
  books = skill({}, async (ctx) => {
    const schema = { type: 'object', properties: { city: { type: 'string' }, answer: { type: 'boolean' } }, required: ['city', 'answer'] };
    return JSON.parse(await ctx.ask('Where to?', 60, { schema })) as unknown;
  });
  gated = skill({ stream: true }, async (ctx) => {
    await ctx.emitTextDelta('before ');
    await this.gate.promise;
    await ctx.emitTextDelta('after');
    return 'end';
  });
  waits = skill({}, async (ctx) => {
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
    this.stopped += 1;
  });
  fails = skill({}, async () => {
    throw new Error('internal detail');
  });
  closed = skill({ scopes: ['b'] }, async () => 'never');
}

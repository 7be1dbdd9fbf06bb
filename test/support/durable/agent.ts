// An agent in a process of its own, as its machine would run it: on the instance's socket, with the control
// plane as its platform. argv: socket, control plane's URL, file where it notes what it really did, its name
// and the key of grants that are addressed to it.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { controlPlane } from '#sdk/typescript/platform/control-plane.ts';
import { startAgent } from '#sdk/typescript/runtime/start.ts';

const [, , socket = '', url = '', notes = '', grantKey = Buffer.alloc(32, 1).toString('base64url'), called = 'probe'] = process.argv;
const note = (text: string): void => appendFileSync(notes, `${text}\n`);

/** Seconds that a called skill may work; while it waits for a person they do not pass. */
const PATIENCE = 20;

class Probe extends Agent {
  name = called;
  description = 'For tests.';
  version = '1.0.0';
  override concurrency = 250;

  add = skill({ input: z.object({ a: z.number(), b: z.number() }) }, async (_ctx, { a, b }) => ({ sum: a + b }));
  fail = skill({}, async () => {
    throw new Error('broken');
  });
  /** A result of so many bytes; the padding only makes its arguments large. */
  large = skill({ input: z.object({ bytes: z.number(), padding: z.string().optional() }) }, async (_ctx, { bytes }) => 'x'.repeat(bytes - 2));
  tell = skill({ stream: true, input: z.object({ times: z.number(), everyMs: z.number() }) }, async (ctx, { times, everyMs }) => {
    note('tell');
    for (let n = 1; n <= times; n++) {
      await ctx.emitProgress(String(n));
      if (everyMs > 0) await pause(everyMs);
    }
    return { told: times };
  });
  ask = skill(
    { input: z.object({ times: z.number(), seconds: z.number().default(600), atOnce: z.boolean().default(false) }) },
    async (ctx, { times, seconds, atOnce }) => {
      if (atOnce) return { answers: await Promise.all(Array.from({ length: times }, (_, n) => ctx.ask(`Question ${n + 1}?`, seconds))) };
      const answers: string[] = [];
      for (let n = 1; n <= times; n++) {
        note(`asks ${n}`);
        answers.push(await ctx.ask(`Question ${n}?`, seconds));
        note(`heard ${n}`);
      }
      return { answers };
    },
  );
  /** Calls `ask` of this agent, through as many others as that: what asks is not what the person called. */
  relay = skill({ input: z.object({ seconds: z.number().default(600) }) }, async (ctx, { seconds }) => {
    note('relays');
    const { result } = await ctx.call(`${url}/v1/agents/${called}/api`, 'ask', { times: 1, seconds }, { timeoutSeconds: PATIENCE });
    note('relayed');
    return { relayed: result };
  });
  relay_far = skill({ input: z.object({ seconds: z.number().default(600) }) }, async (ctx, { seconds }) => {
    note('relays far');
    const { result } = await ctx.call(`${url}/v1/agents/${called}/api`, 'relay', { seconds }, { timeoutSeconds: PATIENCE });
    note('relayed far');
    return { far: result };
  });
  /** With the machine's clock at the line after the answer, in nanoseconds. */
  when = skill({ input: z.object({ times: z.number() }) }, async (ctx, { times }) => {
    const heard: string[] = [];
    for (let n = 1; n <= times; n++) {
      await ctx.ask(`Question ${n}?`, 600);
      heard.push(String(process.hrtime.bigint()));
    }
    return { heard };
  });
  /** Rounds of ticks, each beginning at its moment, with the machine's clock in nanoseconds. */
  tick = skill(
    { stream: true, input: z.object({ rounds: z.array(z.number()), times: z.number(), everyMs: z.number() }) },
    async (ctx, { rounds, times, everyMs }) => {
      for (const [round, from] of rounds.entries()) {
        for (let n = 0; n < times; n++) {
          await pause(Math.max(0, from + n * everyMs - Date.now()));
          await ctx.emitEvent({ kind: 'tick', payload: { round, n, at: String(process.hrtime.bigint()) } });
        }
      }
      // Its end is not part of its last tick.
      await pause(everyMs);
    },
  );
  obey = skill({}, async (ctx) => {
    note('obeys');
    await ctx.emitProgress('begun');
    await new Promise((_, reject) => {
      ctx.signal.addEventListener('abort', () => {
        note(`stopped ${ctx.signal.reason instanceof Error ? ctx.signal.reason.name : 'unknown'}`);
        reject(ctx.signal.reason instanceof Error ? ctx.signal.reason : new Error('unknown'));
      });
    });
  });
  /** It claims in its events what is not so, and gives what its card does not say. */
  lie = skill({ stream: true }, async (ctx) => {
    note('lies');
    for (const kind of ['proof_sealed', 'proof_check', 'job_succeeded']) await ctx.emitEvent({ kind, payload: { status: 'passed', sum: 3 } });
    return { sum: 'three' };
  });
  /** The first time it takes longer than its process lives. */
  again = skill({ idempotent: true, maxRetries: 2 }, async (ctx) => {
    const first = !existsSync(notes) || !readFileSync(notes, 'utf8').includes('again');
    note('again');
    await ctx.emitProgress('begun');
    if (first) await pause(60_000);
    return 'done';
  });
}

await startAgent(new Probe(), {
  platform: controlPlane({ url, grantKey, agentsDomain: 'agents.test' }),
  apiKey: 'the-key',
  listen: { path: socket },
  onLog: () => undefined,
});
process.send?.('ready');

// `npm run bench -- slow-schemas`: what one account's slow schemas cost everybody. Twenty skills whose
// patterns take for ever, sixty starts each, and twenty forms with 1,500 alternatives, sixty answers each,
// checked as the platform checks them; meanwhile the delay of the event loop is measured. Target: p99 at most
// 50 ms more than that of an idle loop, which a loaded machine delays too: the first line.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { schemaWorkCounts } from '#core/kernel/schema-work/ask.ts';
import { argsIssuesApart } from '#core/runs/run/check-args.ts';
import { checkAnswer } from '#core/pauses/wait/form.ts';
import { printAdded, rounds } from './ratio.ts';

const KINDS = 20;
const TIMES = rounds(60, 6);
const TARGET_MS = 50;
const schemas = Array.from({ length: KINDS }, (_, skill) => ({
  type: 'object',
  properties: { text: { type: 'string', pattern: `^(?:a+)+$|skill ${skill}` } },
}));
const args = { text: `${'a'.repeat(60)}!` };
const forms = Array.from({ length: KINDS }, (_, form) => ({
  type: 'array',
  items: { anyOf: Array.from({ length: 1_500 }, (_one, at) => ({ type: 'object', required: [`${form}-${at}`] })) },
}));
const answer = Array.from({ length: 4_000 }, (_, at) => ({ [`x${at}`]: 1 }));

/** They come one after the other, as requests do. */
async function measure(name: string, one: (kind: number) => Promise<unknown>): Promise<{ p50: number; p99: number }> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  await pause(100);
  delay.enable();
  const before = { ...schemaWorkCounts };
  const began = performance.now();
  const under: Promise<unknown>[] = [];
  for (let at = 0; at < KINDS * TIMES; at += 1) {
    under.push(one(at % KINDS));
    await pause(1);
  }
  await Promise.all(under);
  delay.disable();
  const ms = (value: number): number => Math.round(value / 1e5) / 10;
  const took = `p50 ${ms(delay.percentile(50))} ms, p99 ${ms(delay.percentile(99))} ms, most ${ms(delay.max)} ms; ${KINDS * TIMES} in ${Math.round(performance.now() - began)} ms`;
  const threads = `threads ended: ${schemaWorkCounts.ended - before.ended}, not checked: ${schemaWorkCounts.refused - before.refused}`;
  process.stdout.write(`${name}: loop delay ${took}; ${threads}\n`);
  return { p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)) };
}

const idle = await measure('without work', async () => undefined);
const busy = {
  starts: await measure('starts', (skill) => argsIssuesApart('mallory', schemas[skill] ?? {}, args)),
  'form answers': await measure('form answers', (form) => checkAnswer('mallet', answer, forms[form])),
};
let met = true;
for (const [name, { p50, p99 }] of Object.entries(busy)) {
  printAdded({ name: `slow schemas, ${name}: p99 of the loop's delay`, ms: p99 - idle.p99, spread: [p50 - idle.p50, p99], target: TARGET_MS });
  met &&= p99 - idle.p99 < TARGET_MS;
}
process.exit(met ? 0 : 1);

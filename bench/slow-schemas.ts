// `node bench/slow-schemas.ts`: what one account's slow schemas cost everybody. Twenty skills whose patterns take for ever, sixty starts each, checked as a
// start checks them; meanwhile the delay of the event loop is measured. Target: p99 at most 50 ms.
// A loaded machine delays the loop anyway: the first line says by how much.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { argsIssues, argsIssuesApart, checkCounts } from '#core/runs/run/check-args.ts';

const SKILLS = 20;
const STARTS = 60;
const TARGET_MS = 50;
const schemas = Array.from({ length: SKILLS }, (_, skill) => ({
  type: 'object',
  properties: { text: { type: 'string', pattern: `^(?:a+)+$|skill ${skill}` } },
}));
const args = { text: `${'a'.repeat(60)}!` };

/** Starts come one after the other, as requests do. */
async function measure(start: (skill: number) => Promise<unknown>): Promise<{ p50: number; p99: number; most: number; ms: number }> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  await pause(100);
  delay.enable();
  const began = performance.now();
  const under: Promise<unknown>[] = [];
  for (let at = 0; at < SKILLS * STARTS; at += 1) {
    under.push(start(at % SKILLS));
    await pause(1);
  }
  await Promise.all(under);
  delay.disable();
  const ms = (value: number): number => Math.round(value / 1e5) / 10;
  return { p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), most: ms(delay.max), ms: Math.round(performance.now() - began) };
}

const say = (name: string, { p50, p99, most, ms }: Awaited<ReturnType<typeof measure>>): void =>
  void process.stdout.write(`${name}: loop delay p50 ${p50} ms, p99 ${p99} ms, most ${most} ms; ${SKILLS * STARTS} starts in ${ms} ms\n`);

say('without work', await measure(async () => undefined));
say('on the event loop', await measure(async (skill) => argsIssues(`evil.${skill}`, schemas[skill] ?? {}, args)));
const apart = await measure(async (skill) => argsIssuesApart('mallory', schemas[skill] ?? {}, args));
say('in threads', apart);
process.stdout.write(`threads ended: ${checkCounts.ended}, starts left to their agent: ${checkCounts.refused}\n`);
process.exit(apart.p99 <= TARGET_MS ? 0 : 1);

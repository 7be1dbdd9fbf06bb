// From an event's emission in a skill to its reader at the API, through the worker and PostgreSQL: 200
// durable runs, each followed over HTTP. `node bench/run-events.ts [streams] [seconds]`: two rounds of an
// event a second on each, once all are open. Spread: each run at its own moment, as agents work; the target
// is for this one. At once: all at the same moment, as a broadcast would. PostgreSQL writes to the disk as in
// production; API, worker, agent and readers are processes of their own that share the machine's monotonic
// clock.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createParser } from 'eventsource-parser';
import { benchWorld } from './durable-servers.ts';
import { percentile } from './load.ts';
import { median } from './ratio.ts';

const TARGET_MS = 25;
/** Of each round, seconds: code is compiled and connections are opened in them. Reported apart. */
const WARM_UP = 2;
const ROUNDS = ['spread', 'at once'] as const;

interface Heard {
  round: number;
  n: number;
  ms: number;
}

async function measure(streams: number, seconds: number): Promise<void> {
  const world = await benchWorld({ durable: true });
  const readers = fork(fileURLToPath(import.meta.url), ['readers'], { serialization: 'advanced' });
  try {
    const { w } = world;
    // Beginning that many runs costs more than their events: the events come when all have begun.
    const openingMs = 60;
    const from = Date.now() + streams * openingMs * 3 + 5_000;
    const times = WARM_UP + seconds;
    for (let n = 0; n < streams; n++) {
      const rounds = [from + (n * 1_000) / streams, from + (times + 3) * 1_000];
      const { run_id } = await w.as('ada').agents.startRun({
        params: { name: w.agent.name, skill_name: 'tick' },
        body: { rounds, times, everyMs: 1_000 },
        headers: {},
      });
      readers.send({ url: `${w.url}/v1/agents/${w.agent.name}/api/runs/${run_id}`, token: w.token('ada') });
      await pause(openingMs);
    }
    if (Date.now() > from) throw new Error('the events began before all runs had: take fewer streams');
    readers.send('all');
    // Safe: the readers below send nothing else.
    const [heard] = (await once(readers, 'message')) as [Heard[]];
    for (const [round, name] of ROUNDS.entries()) {
      const mine = heard.filter((one) => one.round === round);
      report(
        name,
        mine.filter(({ n }) => n >= WARM_UP),
        streams * seconds,
      );
      report(
        `${name}, first ${WARM_UP} s`,
        mine.filter(({ n }) => n < WARM_UP),
        streams * WARM_UP,
      );
    }
    console.log(`${streams} streams; target: p99 < ${TARGET_MS} ms, spread`);
  } finally {
    readers.kill();
    await world.close();
  }
}

function report(name: string, heard: readonly Heard[], expected: number): void {
  if (heard.length !== expected) throw new Error(`${name}: ${heard.length} events were heard where ${expected} were sent`);
  const delays = heard.map(({ ms }) => ms);
  const at = (of: number): string => percentile(delays, of).toFixed(1);
  const late = delays.filter((delay) => delay > 1_000).length;
  // Beside it, for a machine that others use at moments.
  const bySecond = [...new Set(heard.map(({ n }) => n))].map((second) =>
    percentile(
      heard.filter(({ n }) => n === second).map(({ ms }) => ms),
      99,
    ),
  );
  console.log(
    `${name.padEnd(20)} ${delays.length} events  p50 ${at(50)}  p90 ${at(90)}  p99 ${at(99)}  most ${at(100)} ms  ${late} later than a second;  p99 by second: least ${Math.min(...bySecond).toFixed(1)}, median ${median(bySecond).toFixed(1)}`,
  );
}

async function read(): Promise<void> {
  const heard: Heard[] = [];
  const following: Promise<void>[] = [];
  const follow = async ({ url, token }: { url: string; token: string }): Promise<void> => {
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' } });
    const parser = createParser({
      onEvent: ({ event, data }) => {
        const now = process.hrtime.bigint();
        if (event !== 'run.tick') return;
        const { payload } = JSON.parse(data) as { payload: { round: number; n: number; at: string } };
        heard.push({ round: payload.round, n: payload.n, ms: Number(now - BigInt(payload.at)) / 1e6 });
      },
    });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
  };
  const all = new Promise<void>((resolve) => {
    process.on('message', (message: { url: string; token: string } | 'all') => {
      if (message === 'all') resolve();
      else following.push(follow(message));
    });
  });
  await all;
  await Promise.all(following);
  // Disconnected before it is all on its way, a long list would never arrive.
  process.send?.(heard, () => process.disconnect());
}

if (process.argv[2] === 'readers') await read();
else await measure(Number(process.argv[2] ?? 200), Number(process.argv[3] ?? 30));

// From an event's emission in a skill to its reader at the API, through the worker and PostgreSQL: 200 durable runs, each followed over HTTP.
// `node bench/run-events.ts [streams] [seconds]`: an event a second on each, once all are open. All processes share the machine's monotonic clock.
import { createParser } from 'eventsource-parser';
import { setTimeout as pause } from 'node:timers/promises';
import { benchWorld } from './durable-servers.ts';
import { percentile } from './load.ts';

const STREAMS = Number(process.argv[2] ?? 200);
const SECONDS = Number(process.argv[3] ?? 10);
const OPENING_MS = 60;
const world = await benchWorld();
try {
  const { w } = world;
  // Beginning that many runs costs more than their events: the events come when all have begun.
  const body = { times: SECONDS, everyMs: 1_000, from: Date.now() + STREAMS * OPENING_MS + 10_000 };
  const delays: number[] = [];
  const follow = async (runId: string): Promise<void> => {
    const response = await fetch(`${w.url}/v1/agents/${w.agent.name}/api/runs/${runId}`, {
      headers: { authorization: `Bearer ${w.token('ada')}`, accept: 'text/event-stream' },
    });
    const parser = createParser({
      onEvent: ({ event, data }) => {
        const read = process.hrtime.bigint();
        if (event !== 'run.tick') return;
        const { payload } = JSON.parse(data) as { payload: { at: string } };
        delays.push(Number(read - BigInt(payload.at)) / 1e6);
      },
    });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
  };
  const readers: Promise<void>[] = [];
  for (let n = 0; n < STREAMS; n++) {
    const { run_id } = await w.as('ada').agents.startRun({ params: { name: w.agent.name, skill_name: 'tick' }, body, headers: {} });
    readers.push(follow(run_id));
    await pause(OPENING_MS);
  }
  await Promise.all(readers);
  const late = delays.filter((delay) => delay > 1_000).length;
  console.log(
    `${STREAMS} streams, ${delays.length} events: p50 ${percentile(delays, 50).toFixed(1)} ms, p99 ${percentile(delays, 99).toFixed(1)} ms (target 25), ${late} later than a second`,
  );
} finally {
  await world.close();
}

// From a person's answer to the next line of the skill that asked, its process awake; and what a thousand
// open waits cost. `node bench/answer.ts [answers] [waits]`. The peer, in the same run and in turn with ours:
// a bare Temporal Update and the activity that follows it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MAX_OPEN_WAITS } from '#core/pauses/wait/bounds.ts';
import { type Answered, askingRun, ms, now, QUIET_MS, until, WARM_UP } from './asking-run.ts';
import { type BenchWorld, benchWorld, residentMib } from './durable-servers.ts';
import { percentile } from './load.ts';

const ANSWERS = Number(process.argv[2] ?? 100);
const WAITS = Number(process.argv[3] ?? 1000);

async function peers({ w, temporal }: BenchWorld): Promise<{ lasting: Answered; fresh: Answered; end(): void }> {
  const child = fork(fileURLToPath(new URL('./answer-peer-worker.ts', import.meta.url)), [temporal.address, temporal.namespace], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  const start = (workflowId: string, times: number) => w.t.temporal.workflow.start('peer', { taskQueue: 'peer', workflowId, args: [times] });
  const answered = (workflowOf: (n: number) => ReturnType<typeof start>): Answered => {
    const sent: bigint[] = [];
    const handles = new Set<Awaited<ReturnType<typeof start>>>();
    return {
      async give(n) {
        const handle = await workflowOf(n);
        handles.add(handle);
        await pause(QUIET_MS);
        sent.push(now());
        await handle.executeUpdate('answer', { args: ['yes'] });
        await pause(QUIET_MS);
      },
      async took() {
        const heard = (await Promise.all([...handles].map((handle) => handle.result()))).flat();
        return heard.map((at, index) => ms(sent[index] ?? 0n, BigInt(at))).slice(WARM_UP);
      },
    };
  };
  const lasting = start('peer', ANSWERS + WARM_UP);
  return { lasting: answered(() => lasting), fresh: answered((n) => start(`peer-${n}`, 1)), end: () => void child.kill('SIGKILL') };
}

/** In turn: what a machine has to do beside them, it has to do beside both. */
async function measureInterleaved(world: BenchWorld): Promise<{ lasting: number[]; fresh: number[]; own: number[] }> {
  const [bare, own] = [await peers(world), await askingRun(world, ANSWERS)];
  try {
    for (let n = 1; n <= ANSWERS + WARM_UP; n++) {
      await bare.lasting.give(n);
      await bare.fresh.give(n);
      await own.give(n);
    }
    return { lasting: await bare.lasting.took(), fresh: await bare.fresh.took(), own: await own.took() };
  } finally {
    bare.end();
  }
}

/**
 * The first round also pays for what a process keeps once (cached workflows, a larger heap); what a wait
 * holds is what a further round adds.
 */
async function openWaits({ w }: BenchWorld): Promise<void> {
  const memory = async () => ({ worker: await residentMib(w.pids().worker), api: await residentMib(process.pid) });
  const start = (times: number): Promise<unknown> =>
    w.as('ada').agents.startRun({ params: { name: w.agent.name, skill_name: 'ask' }, body: { times, atOnce: true }, headers: {} });
  const opened = (wanted: number): Promise<unknown> =>
    until(async () => Number((await w.t.ctx.db('waits').where({ state: 'pending' }).count({ n: '*' }).first())?.n) >= wanted || undefined, 600_000);
  let open = 0;
  for (const [name, count] of [
    ['the first', WAITS],
    ['a further', WAITS * 2],
  ] as const) {
    const [before, began] = [await memory(), performance.now()];
    // As many as one run may have open: what is measured is the waits.
    for (let n = 0; n < count; n += MAX_OPEN_WAITS) await start(Math.min(MAX_OPEN_WAITS, count - n));
    open += count;
    await opened(open);
    const seconds = (performance.now() - began) / 1000;
    // The drivers leave a run that waits after two seconds.
    await pause(6_000);
    const after = await memory();
    const each = (part: 'worker' | 'api'): string => `${(((after[part] - before[part]) * 1024) / count).toFixed(1)} KiB`;
    console.log(
      `${name} ${count} open waits: ${(count / seconds).toFixed(1)} created/s (${MAX_OPEN_WAITS} a run); worker ${after.worker.toFixed(0)} MiB (${each('worker')} a wait), API ${after.api.toFixed(0)} MiB (${each('api')} a wait)`,
    );
  }
}

const world = await benchWorld();
try {
  const { lasting, fresh, own } = await measureInterleaved(world);
  const line = (name: string, values: number[]): string =>
    `${name}: p50 ${percentile(values, 50).toFixed(1)} ms, p90 ${percentile(values, 90).toFixed(1)} ms (${values.length} answers)`;
  const times = (bare: number[]): string => `${(percentile(own, 50) / percentile(bare, 50)).toFixed(2)}x`;
  console.log(line('bare Temporal, Update to activity, a workflow for each answer', fresh));
  console.log(line('bare Temporal, Update to activity, one workflow for all answers', lasting));
  console.log(`${line('answer to next line', own)}: ${times(fresh)} and ${times(lasting)} (targets: 50 ms, 1.3x)`);
  await openWaits(world);
} finally {
  await world.close();
}

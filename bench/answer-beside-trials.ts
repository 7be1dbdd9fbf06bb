// `node bench/answer-beside-trials.ts [answers]`: from a person's answer to the next line of the skill that
// asked, on a real Temporal server, database and worker, first with nothing else and then while a hundred
// trials of others are under way whose model never ends. Ends with 1 above one second (p95).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TrialRoomIn } from '#contract/studio/trial-rooms.ts';
import { putCredential } from '#core/money/llm/put.ts';
import { createRoom } from '#core/studio/trial-room/create.ts';
import { startRuns } from '#core/studio/trial-room/run.ts';
import { languageModels } from '#drivers/llm/models.ts';
import { askingRun, until, WARM_UP } from './asking-run.ts';
import { type BenchWorld, benchWorld } from './durable-servers.ts';
import { percentile } from './load.ts';

const ANSWERS = Number(process.argv[2] ?? 100);
/** An account may have 24 open; of 20 its share of a worker is full. */
const [ACCOUNTS, TRIALS] = [5, 20];
const MOST_MS = 1_000;

/** Answers that are under way: begun, and never ended. */
let open = 0;
const model = createServer((_, response) => {
  open += 1;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const sending = setInterval(() => response.write(': still at it\n\n'), 5_000);
  response.once('close', () => {
    open -= 1;
    clearInterval(sending);
  });
});
await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
// Safe: a server that listens on a port has such an address.
const host = `127.0.0.1:${(model.address() as AddressInfo).port}`;
const world = await benchWorld({ modelHosts: [host] });
try {
  const quiet = await answers(world);
  for (let n = 1; n <= ACCOUNTS; n += 1) await startTrials(world, `eve${n}`);
  await until(async () => open >= ACCOUNTS * TRIALS || undefined, 300_000);
  const beside = await answers(world);
  const p95 = percentile(beside, 95);
  print('answer to next line, with nothing else', quiet);
  print(`beside ${open} trials whose model does not end`, beside);
  process.stdout.write(`p95 of at most one second: ${p95 <= MOST_MS ? 'met' : 'missed'}\n`);
  if (p95 > MOST_MS) process.exitCode = 1;
} finally {
  model.closeAllConnections();
  model.close();
  await world.close();
}

async function answers(of: BenchWorld): Promise<number[]> {
  const run = await askingRun(of, ANSWERS);
  for (let n = 1; n <= ANSWERS + WARM_UP; n += 1) await run.give(n);
  return run.took();
}

async function startTrials({ w }: BenchWorld, name: string): Promise<void> {
  const user = await w.t.user(name);
  const llm = languageModels({ localHosts: [host] });
  const eve = { ...user, drivers: { ...user.drivers, llm } };
  await putCredential(eve, { name: 'main', provider: 'openai_compatible', base_url: `http://${host}/v1`, api_key: 'sk-0123456789abcdefghij', model: 'm-1', default: true, monthly_budget_micros: null, agent_run_budget_micros: null, price: null, probe: false }); // prettier-ignore
  await createRoom(eve, TrialRoomIn.parse({ title: 'Slow', slug: 'slow', goal: 'Wait', max_runtime_seconds: 3_600 }));
  for (let n = 0; n < TRIALS; n += 10) await startRuns(eve, { slug: 'slow', contestants: Array.from({ length: 10 }, () => ({ model: {} })) });
  await llm.close();
}

function print(what: string, values: number[]): void {
  process.stdout.write(`${what}: p50 ${percentile(values, 50).toFixed(1)} ms, p95 ${percentile(values, 95).toFixed(1)} ms (${values.length} answers)\n`);
}

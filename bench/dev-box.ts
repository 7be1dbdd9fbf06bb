// From `svc ssh` to a prompt: of a suspended box, and of one without a machine. And what plain OpenSSH takes once the box is awake.
// `node bench/dev-box.ts [rounds]`; needs the images of `npm run up` and the disk of dev boxes (made on first use, minutes). Medians and percentiles, ms.
import { spawn } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { makeTool } from '#cli/test/tool.ts';
import { boxHost } from '#host/box/test/host.ts';
import { createWorld } from '#test/api/world.ts';
import { benchCluster } from './database.ts';

const rounds = Number(process.argv[2] ?? 10);
const series = new Map<string, number[]>();
const add = (name: string, ms: number): void => void series.set(name, [...(series.get(name) ?? []), ms]);

const host = await boxHost();
const cluster = await benchCluster();
const world = await createWorld({ hostSocket: host.socketPath, databaseUrl: await cluster.create() });
world.ctx.config.baseUrl = world.url;
const agent = world.records['name'] ?? '';
const tool = await makeTool(world.url, '/nowhere');
const env = { ...process.env, HOME: tool.home, SVC_TOKEN: world.tokens.ada, SVC_API_URL: world.url };
const launcher = join(import.meta.dirname, '../cli/bin.mjs');

/** Milliseconds until a shell's first word. */
async function toPrompt(command: string, args: readonly string[]): Promise<number> {
  const began = performance.now();
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.write('echo prompt\n');
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => chunk.toString().includes('prompt') && resolve());
    child.once('close', (code) => reject(new Error(`${command} ended with ${code}`)));
  });
  const ms = performance.now() - began;
  child.stdin.end('exit\n');
  await new Promise((resolve) => child.once('close', resolve));
  return ms;
}

const svcSsh = (): Promise<number> => toPrompt(process.execPath, [launcher, 'ssh', agent]);
try {
  add('the very first (a snapshot is made)', await svcSsh());
  const config = join(tool.home, '.svc/ssh', agent, 'config');
  const [opened] = await host.boxes.list();
  const box_id = opened?.box_id ?? '';
  for (let n = 0; n < rounds; n++) {
    add('awake: svc ssh → prompt', await svcSsh());
    add('awake: ssh svc-AGENT → prompt', await toPrompt('ssh', ['-F', config, '-T', `svc-${agent}`, 'bash']));
    await host.boxes.sleep(box_id);
    add('suspended: svc ssh → prompt', await svcSsh());
    await host.boxes.stop(box_id);
    add('cold: svc ssh → prompt', await svcSsh());
  }
} finally {
  await tool.remove();
  await world.close();
  await cluster.stop();
  await host.end();
}

const at = (values: number[], share: number): string =>
  (values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0).toFixed(0).padStart(7);
console.log(`${availableParallelism()} cores · load ${loadavg()[0]?.toFixed(1)} · ms`);
console.log(`${'what'.padEnd(50)}      n     p50     p95`);
for (const [name, values] of series) console.log(`${name.padEnd(50)}${String(values.length).padStart(7)} ${at(values, 0.5)} ${at(values, 0.95)}`);

// With the tool as npm installs it, from `svc ssh` to a prompt: of a suspended box, and of one without a
// machine; what plain OpenSSH takes once the box is awake; and from a save under `svc dev` to an answer of
// the new code. `node bench/dev-box.ts [rounds] [ssh|TypeScript|Python]`, only one part. Target of a save,
// emulated: p50 < 2 s. It needs the images of `npm run up` and the disk of dev boxes (made on first use,
// minutes). Medians and percentiles, ms.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeTool } from '#cli/test/tool.ts';
import { boxHost } from '#host/box/test/host.ts';
import { createWorld } from '#test/api/world.ts';
import { benchCluster } from './database.ts';
import { publishedCli } from './published-cli.ts';

const rounds = Number(process.argv[2] ?? 10);
const wanted = (part: string): boolean => (process.argv[3] ?? part) === part;
const series = new Map<string, number[]>();
const add = (name: string, ms: number): void => void series.set(name, [...(series.get(name) ?? []), ms]);

const host = await boxHost();
const cluster = await benchCluster();
const world = await createWorld({ hostSocket: host.socketPath, databaseUrl: await cluster.create() });
world.ctx.config.baseUrl = world.url;
const agent = world.records['name'] ?? '';
const tool = await makeTool(world.url, '/nowhere');
const env = { ...process.env, HOME: tool.home, SVC_TOKEN: world.tokens.ada, SVC_API_URL: world.url };
const installed = await mkdtemp(join(tmpdir(), 'svc-bench-box-'));
const launcher = await publishedCli(installed);

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

/** What the agent in the box answers, by the socket that the ingress takes. */
function word(socketPath: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', host: 'box' };
    request({ socketPath, path: '/invoke/word', method: 'POST', agent: false, headers }, (response) => text(response).then(resolve, reject))
      .once('error', reject)
      .end('{}');
  });
}

interface Kind {
  name: string;
  file: string;
  code: (agent: string, says: string) => string;
}
const typescript: Kind = {
  name: 'TypeScript',
  file: 'agent.ts',
  code: (name, says) => `import { Agent, skill, z } from '@svc/sdk';
export class Words extends Agent {
  name = '${name}';
  description = 'Says a word';
  version = '0.1.0';
  word = skill({ description: 'A word.', input: z.object({}), output: z.string() }, async () => '${says}');
}
`,
};
const python: Kind = {
  name: 'Python',
  file: 'agent.py',
  code: (name, says) => `from svc import Agent, RunContext, skill


class Words(Agent):
    name = "${name}"
    description = "Says a word"
    version = "0.1.0"

    @skill(description="A word.")
    async def word(self, ctx: RunContext) -> str:
        return "${says}"
`,
};

async function saves({ name, file, code }: Kind, owner: string): Promise<void> {
  const project = join(tool.home, `project-${name}`);
  await mkdir(project, { recursive: true });
  await writeFile(join(project, 'svc.yaml'), `name: ${owner}\nversion: 0.1.0\nentrypoint: agent:Words\n`);
  const save = (says: string): Promise<void> => writeFile(join(project, file), code(owner, says));
  await save('first');
  const began = performance.now();
  const known = new Set((await host.boxes.list()).map(({ box_id }) => box_id));
  const dev = tool.spawn(['dev', '--project', project], { SVC_TOKEN: world.tokens.ada });
  await dev.saw(/is served at/);
  add(`${name}: svc dev → served, the first time`, performance.now() - began);
  const boxes = await host.boxes.list();
  const web = host.boxes.address((boxes.find(({ box_id }) => !known.has(box_id)) ?? boxes[0])?.box_id ?? '', 'web');
  for (let n = 0; n < rounds; n++) {
    const saved = performance.now();
    await save(`word ${n}`);
    while ((await word('unix' in web ? web.unix : '')) !== `"word ${n}"`) await new Promise((resolve) => setTimeout(resolve, 50));
    add(`${name}: svc dev: save → answer of the new code`, performance.now() - saved);
    // A person reads what came of it.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
  }
  dev.process.kill('SIGINT');
  await dev.ended;
}

const svcSsh = (): Promise<number> => toPrompt(process.execPath, [launcher, 'ssh', agent]);
async function sshRounds(): Promise<void> {
  add('the very first (a snapshot is made if there is none)', await svcSsh());
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
}

try {
  if (wanted('ssh')) await sshRounds();
  if (wanted('TypeScript')) await saves(typescript, agent);
  if (wanted('Python')) await saves(python, 'bench-python');
} finally {
  await tool.remove();
  await rm(installed, { recursive: true, force: true, maxRetries: 3 });
  await world.close();
  await cluster.stop();
  await host.end();
}

const at = (values: number[], share: number): string =>
  (values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0).toFixed(0).padStart(7);
console.log(`${availableParallelism()} cores · load ${loadavg()[0]?.toFixed(1)} · ms`);
console.log(`${'what'.padEnd(55)}      n     p50     p95`);
for (const [name, values] of series) console.log(`${name.padEnd(55)}${String(values.length).padStart(7)} ${at(values, 0.5)} ${at(values, 0.95)}`);

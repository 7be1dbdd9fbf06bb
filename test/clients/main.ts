// Other people's clients, unmodified, against an agent of ours behind the ingress:
//   npm run test:clients [-- part of a client's name]
// Each client is a program of its own that reports what it got; what it must have got is in clients.ts. Ends
// with a table and counts.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { hosted } from '../protocols/a2a-world.ts';
import { ClientsAgent } from './agent.ts';
import { type Client, CLIENTS, type Step, STEPS } from './clients.ts';
import { nodeClients, pythonClients } from './environments.ts';

const Report = z.looseObject({ version: z.string() });
type Outcome = 'passed' | 'cannot' | { wrong: string };

const HERE = import.meta.dirname;
const LIMIT_MS = 120_000;
const wanted = (process.argv[2] ?? '').toLowerCase();
const chosen = CLIENTS.filter(({ name }) => name.toLowerCase().includes(wanted));
const home = await mkdtemp(join(tmpdir(), 'svc-clients-'));
const world = await hosted(new ClientsAgent(), { listGrpc: false });
const counts = { passed: 0, failed: 0 };
const rows: string[][] = [['client', 'version', 'passed', 'how']];
try {
  for (const client of chosen) {
    const { said, log } = await run(client);
    const version = said?.version ?? '?';
    const passed: string[] = [];
    for (const step of Object.keys(STEPS) as Step[]) {
      const outcome = judge(client, step, said);
      if (outcome === 'passed') passed.push(step);
      if (typeof outcome === 'object') process.stdout.write(`${client.name} ${version}: ${step}: ${outcome.wrong}\n`);
      if (outcome !== 'cannot') counts[outcome === 'passed' ? 'passed' : 'failed'] += 1;
    }
    if (said === undefined) process.stdout.write(`${log}\n`);
    const cannot = Object.entries(client.cannot ?? {}).map(([step, why]) => `no ${step}: ${why}`);
    rows.push([client.name, version, passed.join(' '), [client.note, ...cannot].join('; ')]);
  }
} finally {
  await world.stop();
  await rm(home, { recursive: true });
}
for (const [name = '', version = '', passed = '', how = ''] of rows)
  process.stdout.write(`${name.padEnd(22)}| ${version.padEnd(8)}| ${passed.padEnd(33)}| ${how}\n`);
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;

async function run({ script, requirements }: Client): Promise<{ said: z.infer<typeof Report> | undefined; log: string }> {
  const python = script.endsWith('.py');
  const program = python ? await pythonClients(requirements) : process.execPath;
  const folder = python ? join(HERE, 'python') : await nodeClients();
  const env = { ...process.env, HOME: home, PYTHONDONTWRITEBYTECODE: '1', NO_COLOR: '1' };
  const { stdout, log } = await new Promise<{ stdout: string; log: string }>((resolve) => {
    execFile(program, [join(folder, script), world.url], { cwd: folder, env, timeout: LIMIT_MS, maxBuffer: 1 << 26 }, (_error, out, err) =>
      resolve({ stdout: out, log: out + err }),
    );
  });
  const last = stdout.trim().split('\n').at(-1) ?? '';
  return { said: last.startsWith('{') ? Report.parse(JSON.parse(last)) : undefined, log };
}

function judge({ cannot }: Client, step: Step, said: z.infer<typeof Report> | undefined): Outcome {
  const got = said?.[step];
  if (cannot?.[step] !== undefined) return got === undefined ? 'cannot' : { wrong: 'listed as what it cannot do, but it does' };
  const text = typeof got === 'string' ? got : JSON.stringify(got ?? null);
  const missing = STEPS[step].filter((part) => !text.includes(part));
  return missing.length === 0 ? 'passed' : { wrong: `without ${missing.join(', ')}: ${text.slice(0, 1000)}` };
}

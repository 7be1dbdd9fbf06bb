// Other people's clients, unmodified. Each is a program of its own that reports what it got; what it must
// have got is in test/clients/clients.ts.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type Client, CLIENTS, type Step, STEPS } from '../../clients/clients.ts';
import { nodeClients, pythonClients } from '../../clients/environments.ts';
import { repository } from '../../e2e/installation.ts';
import { type Counts, print, type Suite } from './suite.ts';
import { type DeployedWorld, outputOf } from './world.ts';

const Report = z.looseObject({ version: z.string() });
type Report = z.infer<typeof Report>;
type Outcome = 'passed' | 'cannot' | { wrong: string };

const LIMIT_MS = 300_000;

export const clients: Suite = {
  name: 'clients',
  agents: ['clients-agent'],
  async run(world) {
    const home = await mkdtemp(join(tmpdir(), 'svc-clients-'));
    const counts = { passed: 0, failed: 0 };
    try {
      for (const client of CLIENTS) addTo(counts, client, await reportOf(world, client, home));
    } finally {
      await rm(home, { recursive: true });
    }
    return counts;
  },
};

function addTo(counts: Counts, client: Client, { report, log }: { report: Report | undefined; log: string }): void {
  const passed: string[] = [];
  for (const step of Object.keys(STEPS) as Step[]) {
    const outcome = judge(client, step, report);
    if (outcome === 'cannot') continue;
    counts[outcome === 'passed' ? 'passed' : 'failed'] += 1;
    if (outcome === 'passed') passed.push(step);
    else print(`${client.name}: ${step}: ${outcome.wrong}`);
  }
  if (report === undefined) print(log);
  const cannot = Object.entries(client.cannot ?? {}).map(([step, why]) => `no ${step}: ${why}`);
  print(`${client.name.padEnd(22)}| ${(report?.version ?? '?').padEnd(8)}| ${passed.join(' ').padEnd(33)}| ${[client.note, ...cannot].join('; ')}`);
}

async function reportOf(world: DeployedWorld, { script, requirements }: Client, home: string): Promise<{ report: Report | undefined; log: string }> {
  const python = script.endsWith('.py');
  const program = python ? await pythonClients(requirements) : process.execPath;
  const folder = python ? join(repository, 'test/clients/python') : await nodeClients();
  const env = { ...process.env, HOME: home, PYTHONDONTWRITEBYTECODE: '1', NO_COLOR: '1' };
  const child = world.start(program, [join(folder, script), world.urlOf('clients-agent'), world.token], { cwd: folder, env, timeout: LIMIT_MS });
  const { stdout, stderr } = await outputOf(child);
  const parsed = Report.safeParse(parse(stdout.trim().split('\n').at(-1) ?? ''));
  return { report: parsed.data, log: stdout + stderr };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function judge({ cannot = {} }: Client, step: Step, report: Report | undefined): Outcome {
  if (cannot[step] !== undefined) return report?.[step] === undefined ? 'cannot' : { wrong: 'it is listed as a step that the client cannot do' };
  const actual = report?.[step];
  if (actual === undefined) return { wrong: 'the client did not get so far' };
  const text = typeof actual === 'string' ? actual : JSON.stringify(actual);
  const missing = STEPS[step].filter((part) => !text.includes(part));
  return missing.length === 0 ? 'passed' : { wrong: `${text} lacks ${missing.join(', ')}` };
}

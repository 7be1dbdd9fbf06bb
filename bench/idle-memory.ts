// What an idle agent takes, in its guest of 256 MiB and on the host: `node bench/idle-memory.ts [typescript
// python]`. Needs the images of `npm run up` (made on first use). Each agent is called ten times and through
// MCP, rests, and is read once. MiB.
import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { callAgent, invoke, sourceOf, startInput, uniqueId } from '#drivers/runtime/test/agents.ts';
import { testHost, type TestHost } from '#host/test/support.ts';

const never = new AbortController().signal;
const guestMib = 256;

interface Project {
  language: 'typescript' | 'python';
  entrypoint: string;
  files: Record<string, string>;
  /** What the agent reads besides the guest's own figures: itself, and who started it. */
  processes: [string, string];
}
const projects: Record<string, Project> = {
  typescript: {
    language: 'typescript',
    entrypoint: 'agent:Idle',
    processes: ['node', '(first process)'],
    files: {
      'agent.ts': `import { readFileSync } from 'node:fs';
import { Agent, skill, z } from '@svc/sdk';
export class Idle extends Agent {
  override name = 'idle';
  override description = 'Reads how much memory there is.';
  override version = '1.0.0';
  memory = skill({ description: 'Reads.', input: z.object({}), output: z.array(z.string()) }, async () =>
    ['/proc/meminfo', '/proc/self/status', '/proc/1/status'].map((path) => { try { return readFileSync(path, 'utf8'); } catch { return ''; } }));
}
`,
    },
  },
  python: {
    language: 'python',
    entrypoint: 'agent:Idle',
    processes: ['python', 'node (sidecar)'],
    files: {
      'agent.py': `import os
from svc import Agent, RunContext, skill

def read(path: str) -> str:
    try:
        return open(path).read()
    except OSError:
        return ""

class Idle(Agent):
    name = "idle"
    description = "Reads how much memory there is."
    version = "1.0.0"

    @skill(description="Reads.")
    async def memory(self, ctx: RunContext) -> list[str]:
        return [read(path) for path in ("/proc/meminfo", "/proc/self/status", f"/proc/{os.getppid()}/status")]
`,
      'requirements.txt': 'svc-sdk\n',
    },
  },
};

async function build(host: TestHost, { language, entrypoint, files }: Project): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-idle-'));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
    const input = { build_id: uniqueId('b'), tenant: 'bench', source: sourceOf(dir), language, entrypoint };
    return (await host.runtime.build(input, (line) => process.env['VERBOSE'] && console.error(line.text), never)).image;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const kib = (text: string, name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? Number.NaN);
const mib = (value: number): string => (value / 1_024).toFixed(0).padStart(5);

/** Resident and proportional memory of the machine's process; the guest's own memory is a file it maps. */
async function onHost(stateDir: string, id: string): Promise<{ rss: number; pss: number }> {
  for (const pid of await readdir('/proc')) {
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    if (!cwd.startsWith(join(stateDir, 'vm', id))) continue;
    const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
    return { rss: kib(text, 'Rss'), pss: kib(text, 'Pss') };
  }
  throw new Error('the machine has no process');
}

async function measure(host: TestHost, name: string, project: Project): Promise<void> {
  const built = performance.now();
  const image = await build(host, project);
  const began = performance.now();
  const input = startInput(image, { agent: 'idle', resources: { memory_mib: guestMib, cpu_millis: 1_000 } });
  await host.runtime.start(input, () => undefined, never);
  const started = performance.now();
  for (let n = 0; n < 10; n++) await invoke(host.runtime, input.instance_id, 'memory');
  await callAgent(host.runtime.address(input.instance_id), '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const { body } = await invoke(host.runtime, input.instance_id, 'memory');
  if (!Array.isArray(body)) throw new Error(`the agent answered ${JSON.stringify(body)}`);
  const [meminfo = '', own = '', parent = ''] = body.map(String);
  const { rss, pss } = await onHost(host.stateDir, input.instance_id);
  console.log(`${name}: built in ${((began - built) / 1000).toFixed(1)} s, started in ${((started - began) / 1000).toFixed(1)} s`);
  console.log(`  guest: ${mib(kib(meminfo, 'MemTotal'))} total, ${mib(kib(meminfo, 'MemAvailable'))} available, ${mib(kib(meminfo, 'MemFree'))} free`);
  console.log(`  guest: ${mib(kib(own, 'VmRSS'))} RSS of ${project.processes[0]}, ${mib(kib(parent, 'VmRSS'))} of ${project.processes[1]}`);
  console.log(`  host:  ${mib(rss)} RSS, ${mib(pss)} proportional`);
  await host.runtime.stop(input.instance_id);
}

const host = await testHost({ SVC_PAUSE_AFTER_SECONDS: '600', ...(process.env['PIP_INDEX_URL'] && { PIP_INDEX_URL: process.env['PIP_INDEX_URL'] }) });
try {
  console.log(`load ${loadavg()[0]?.toFixed(1)} · ${guestMib} MiB a guest · MiB`);
  const wanted = process.argv.slice(2);
  for (const [name, project] of Object.entries(projects)) if (wanted.length === 0 || wanted.includes(name)) await measure(host, name, project);
} finally {
  await host.end();
}

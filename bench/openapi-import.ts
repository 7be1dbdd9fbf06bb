// `node bench/openapi-import.ts [runs]`: Stripe's description (594 operations) by the tool, on an
// installation of its own: until the preview is printed, until the agent is live, and what memory it takes in
// its machine after a search, a description and a call. Targets: 5 s, 60 s, 256 MiB. Needs Go, for the file.
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Installation, installation, ok } from '#test/e2e/installation.ts';
import { goProgram } from '#test/outside/cache.ts';
import { median } from './ratio.ts';

const runs = Number(process.argv[2] ?? 3);
const { module } = await goProgram('github.com/stripe/stripe-mock', 'v0.203.0');
const description = join(module, 'embedded', 'openapi', 'spec3.json');
const PREVIEW_S = 5;
const LIVE_S = 60;
const GUEST_MIB = 256;

const i = await installation();
try {
  ok(await i.stack('up'));
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  const previews: number[] = [];
  for (let n = 0; n < runs; n += 1) previews.push(await timed(() => i.svc('openapi', 'preview', description)));
  // The first build of a host also makes the snapshot that later builds start from.
  const first = await timed(() => i.svc('openapi', 'generate', description, '--name', 'stripe-first'));
  const live: number[] = [];
  for (let n = 0; n < runs; n += 1) live.push(await timed(() => i.svc('openapi', 'generate', description, '--name', `stripe-${n}`)));
  process.stdout.write(`${((await stat(description)).size / 2 ** 20).toFixed(1)} MiB of description\n`);
  console.table({ preview: row(previews, PREVIEW_S), 'live, first of the host': row([first], LIVE_S), live: row(live, LIVE_S) });
  console.table(await memory(i));
} finally {
  await i.destroy();
}

async function timed(command: () => ReturnType<Installation['svc']>): Promise<number> {
  const began = performance.now();
  ok(await command());
  return (performance.now() - began) / 1000;
}

/** The generated source with one more skill, which reads what its machine and its process have. */
async function memory(on: Installation): Promise<Record<string, Record<string, string>>> {
  const folder = join(dirname(on.home), 'stripe-memory');
  await mkdir(dirname(folder), { recursive: true });
  ok(await on.svc('openapi', 'generate', description, '--name', 'stripe-memory', '--out', folder));
  const file = join(folder, 'agent.ts');
  const source = await readFile(file, 'utf8');
  const skill = `  read_memory = skill({ description: 'Reads.' }, async () => ['/proc/meminfo', '/proc/self/status'].map((path) => readFileSync(path, 'utf8')));\n}\n`;
  const resources = `  override resources = { cpu: '500m', memory: '${GUEST_MIB}Mi' };\n`;
  const edited = source
    .replace("import { Agent, HttpApi } from '@svc/sdk';", "import { readFileSync } from 'node:fs';\nimport { Agent, HttpApi, skill } from '@svc/sdk';")
    .replace('  override concurrency = 8;\n', `  override concurrency = 8;\n${resources}`)
    .replace(/\}\n$/, skill);
  await writeFile(file, edited);
  ok(await on.svc('deploy', folder));
  const rested = await read(on);
  ok(await on.svc('call', 'stripe-memory', 'search_operations', 'query=refund a charge'));
  ok(await on.svc('call', 'stripe-memory', 'describe_operation', 'operation=post_payment_intents'));
  // Without a key it sends nothing, and has read everything that a call reads.
  await on.svc('call', 'stripe-memory', 'call_operation', '--json', '{"operation":"post_customers","arguments":{"name":"Ada"}}');
  const used = await read(on);
  await rm(folder, { recursive: true, force: true });
  return { 'before the first call': rested, 'after a search, a description, a call': used };
}

async function read(on: Installation): Promise<Record<string, string>> {
  const { stdout } = ok(await on.svc('call', 'stripe-memory', 'read_memory'));
  const text = stdout.replaceAll('\\n', '\n').replaceAll('\\t', '\t');
  const mib = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1] ?? Number.NaN) / 1024;
  const taken = mib('MemTotal') - mib('MemAvailable');
  return {
    machine_mib: mib('MemTotal').toFixed(0),
    taken_mib: taken.toFixed(0),
    agent_rss_mib: mib('VmRSS').toFixed(0),
    agent_most_mib: mib('VmHWM').toFixed(0),
    target: taken < GUEST_MIB ? `met (< ${GUEST_MIB} MiB)` : `missed (< ${GUEST_MIB} MiB)`,
  };
}

function row(seconds: number[], target: number): Record<string, string> {
  const middle = median(seconds);
  return {
    median_s: middle.toFixed(1),
    worst_s: Math.max(...seconds).toFixed(1),
    target: middle < target ? `met (< ${target} s)` : `missed (< ${target} s)`,
  };
}

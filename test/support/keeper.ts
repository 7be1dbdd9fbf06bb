// The servers of one test run, started when a test first asks, gone when the run is: it ends with its
// standard input, which closes when the runner ends, however it ends. Answers over HTTP on a loopback port,
// to clients that know the path.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chmodSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { runningServer } from '#stack/postgres.ts';
import { identify, isAlive, stopProcess } from '#stack/process.ts';
import { databases, SHORT_LIVED } from './keeper-databases.ts';
import { fastFolder } from './fast-folder.ts';
import { temporalServer } from './keeper-temporal.ts';

const self = identify(process.pid);
const prefix = 'svc-test-';
removeLeftovers();
const ours = `${prefix}${process.pid}-${self?.start_time.split('/').at(-1) ?? 0}-`;
const dir = mkdtempSync(join(tmpdir(), ours));
const fast = mkdtempSync(join(fastFolder(), ours));
chmodSync(fast, 0o711); // PostgreSQL's user passes through it to its own folder

const database = databases(fast, { settings: SHORT_LIVED });
const temporal = temporalServer(dir);
const secret = randomUUID();
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://keeper');
  const answer = {
    [`/${secret}/database`]: () => database.create(searchParams.get('from') ?? undefined),
    [`/${secret}/drop`]: async () => void (await Promise.all(searchParams.getAll('name').map((name) => database.drop(name)))),
    [`/${secret}/folder`]: () => mkdtemp(join(dir, 'folder-')),
    [`/${secret}/temporal`]: temporal.address,
  }[pathname];
  if (answer === undefined) return void response.writeHead(404).end();
  answer().then(
    (value) => response.end(JSON.stringify(value ?? null)),
    (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
  );
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) process.stdout.write(`http://127.0.0.1:${address.port}/${secret}\n`);
});

process.stdin.resume();
process.stdin.once('close', () => void end());
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => {}); // the runner's end decides, not the terminal's ctrl-C

async function end() {
  server.close();
  await Promise.allSettled([database.stop(), temporal.stop()]);
  for (const folder of [dir, fast]) rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}

/** What a keeper left that was killed itself: its servers and its folder. */
function removeLeftovers() {
  for (const parent of new Set([tmpdir(), fastFolder()])) {
    for (const name of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
      const [pid, ticks] = name.slice(prefix.length).split('-');
      const keeper = identify(Number(pid));
      if (keeper !== undefined && keeper.start_time.endsWith(`/${ticks}`) && isAlive(keeper)) continue;
      void removeFolder(join(parent, name));
    }
  }
}

async function removeFolder(folder: string) {
  try {
    const postgres = runningServer(join(folder, 'postgres'));
    if (postgres) await stopProcess(postgres.identity, 'SIGQUIT', 5_000);
    if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
  } catch {
    // another user's, or another keeper cleans at this moment
  }
}

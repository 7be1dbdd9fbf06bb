// A skill call through the agent runtime against a bare node:http handler that reads, parses and answers the same JSON.
// `node bench/skill-call.ts`: medians of several interleaved runs; each server is a process of its own, the client writes prepared bytes.
import { fork, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Agent, skill, z } from '../sdk/typescript/index.ts';
import { startAgent } from '../sdk/typescript/runtime.ts';

const SELF = fileURLToPath(import.meta.url);
const CONNECTIONS = 32;
const SECONDS = 2;
const ROUNDS = 5;
const ARGS = JSON.stringify({ name: 'Ada' });

class Greeter extends Agent {
  name = 'greeter';
  description = 'Greets.';
  version = '0.1.0';
  override concurrency = 64;
  greet = skill({ input: z.object({ name: z.string() }), output: z.object({ greeting: z.string() }) }, async (_ctx, { name }) => ({
    greeting: `Hello ${name}`,
  }));
}

function bare(): Promise<number> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { name } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { name: string };
      const body = JSON.stringify({ greeting: `Hello ${name}` });
      res.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) });
      res.end(body);
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(portOf(server.address()))));
}

async function runtime(): Promise<number> {
  const { server } = await startAgent(Greeter, { apiKey: 'bench-key', listen: { host: '127.0.0.1', port: 0 } });
  return portOf(server.address());
}

function portOf(address: unknown): number {
  if (typeof address === 'object' && address !== null && 'port' in address && typeof address.port === 'number') return address.port;
  throw new Error('not listening on a port');
}

interface Peer {
  child: ChildProcess;
  port: number;
}

interface Measured {
  /** Requests a second. */
  rate: number;
  /** Microseconds of the server's processor time a request; holds still when others use the machine. */
  cpu: number;
}

/** All answers of one server have one length, so counting bytes counts answers. */
async function load({ child, port }: Peer): Promise<Measured> {
  const request = Buffer.from(
    `POST /invoke/greet HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer bench-key\r\ncontent-type: application/json\r\ncontent-length: ${ARGS.length}\r\n\r\n${ARGS}`,
  );
  const length = await answerLength(port, request);
  let answered = 0;
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    const socket = connect(port, '127.0.0.1');
    let bytes = 0;
    socket.on('connect', () => socket.write(request));
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes < length) return;
      bytes -= length;
      answered += 1;
      socket.write(request);
    });
    return socket;
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  const before = answered;
  const cpuBefore = await cpuOf(child);
  const since = performance.now();
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
  const rate = ((answered - before) / (performance.now() - since)) * 1000;
  const cpu = ((await cpuOf(child)) - cpuBefore) / (answered - before);
  for (const socket of sockets) socket.destroy();
  return { rate, cpu };
}

/** Microseconds of processor time a server has used so far. */
function cpuOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(Number(message)));
    child.send('cpu');
  });
}

function answerCpu(): void {
  process.once('disconnect', () => process.exit(0));
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
}

function answerLength(port: number, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.once('error', reject);
    socket.once('data', (chunk) => {
      socket.destroy();
      const text = chunk.toString('latin1');
      if (text.startsWith('HTTP/1.1 200') && text.endsWith('{"greeting":"Hello Ada"}')) resolve(chunk.length);
      else reject(new Error(`unexpected answer: ${text}`));
    });
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function started(kind: 'bare' | 'runtime'): Promise<Peer> {
  const child = fork(SELF, [kind]);
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)));
    child.once('exit', (code) => reject(new Error(`${kind} server ended with ${code}`)));
  });
  return { child, port };
}

async function main(): Promise<void> {
  const peers = { bare: await started('bare'), runtime: await started('runtime') };
  const seen: Record<'bare' | 'runtime', Measured[]> = { bare: [], runtime: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const kind of ['bare', 'runtime'] as const) seen[kind].push(await load(peers[kind]));
  }
  for (const { child } of Object.values(peers)) child.kill();
  const of = (kind: 'bare' | 'runtime', what: keyof Measured): number => median(seen[kind].map((one) => one[what]));
  for (const kind of ['bare', 'runtime'] as const) {
    console.log(`${kind.padEnd(8)} ${of(kind, 'rate').toFixed(0).padStart(6)} requests/s  ${of(kind, 'cpu').toFixed(1).padStart(5)} µs of processor time each`);
  }
  const percent = (ratio: number): string => `${(ratio * 100).toFixed(0)} %`;
  console.log(
    `ratio    ${percent(of('runtime', 'rate') / of('bare', 'rate'))} by requests/s, ${percent(of('bare', 'cpu') / of('runtime', 'cpu'))} by processor time (target 50 %)`,
  );
}

const [, , role] = process.argv;
if (role === 'bare' || role === 'runtime') {
  process.send?.(await (role === 'bare' ? bare() : runtime()));
  answerCpu();
} else await main();

// From an event's emission in a skill to its reading by the client, with 1,000 streams open. `node
// bench/sse-fanout.ts`: agent and clients are two processes that share the machine's monotonic clock. Two
// patterns: every stream an event a second, each at its own moment (what agents do; the target is for this
// one), and all streams at the same moment (what a broadcast would do). A bare node:http server that writes
// the same events is measured in the same run: what it takes is the machine's share.
import { fork, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Agent, skill, z } from '#sdk/typescript/index.ts';
import { startAgent } from '#sdk/typescript/runtime.ts';

const SELF = fileURLToPath(import.meta.url);
const STREAMS = 1_000;
const SECONDS = 10;
const WARM_UP_SECONDS = 2;
const TARGET_MS = 10;

class Ticker extends Agent {
  name = 'ticker';
  description = 'Emits.';
  version = '0.1.0';
  override concurrency = STREAMS;
  tick = skill(
    { stream: true, input: z.object({ first_ms: z.number(), every_ms: z.number(), times: z.int() }) },
    async (ctx, { first_ms, every_ms, times }) => {
      const start = performance.now() + first_ms;
      for (let n = 0; n < times; n += 1) {
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, start + n * every_ms - performance.now())));
        await ctx.emitEvent({ kind: 'tick', payload: { at: String(process.hrtime.bigint()) } });
      }
    },
  );
}

const Args = z.object({ first_ms: z.number(), every_ms: z.number(), times: z.int() });

function serveBare(): Promise<number> {
  const server = createServer((req, res) => {
    void json(req).then(async (body) => {
      const { first_ms, every_ms, times } = Args.parse(body);
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const start = performance.now() + first_ms;
      for (let n = 0; n < times; n += 1) {
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, start + n * every_ms - performance.now())));
        const payload = { at: String(process.hrtime.bigint()) };
        res.write(`id: ${n}\nevent: tick\ndata: ${JSON.stringify({ kind: 'tick', payload })}\n\n`);
      }
      res.end('event: result\ndata: {}\n\n');
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(portOf(server.address()))));
}

async function serve(): Promise<number> {
  const { server } = await startAgent(Ticker, { listen: { host: '127.0.0.1', port: 0 } });
  return portOf(server.address());
}

function portOf(address: unknown): number {
  if (typeof address === 'object' && address !== null && 'port' in address && typeof address.port === 'number') return address.port;
  throw new Error('not listening on a port');
}

interface Opened {
  socket: Socket;
  /** Milliseconds from emission to reading. */
  delays: number[];
  done: Promise<void>;
}

function open(port: number, args: object): Opened {
  const body = JSON.stringify(args);
  const socket = connect(port, '127.0.0.1');
  const delays: number[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.setNoDelay(true);
  socket.write(`POST /invoke/tick HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  let rest = '';
  socket.on('data', (chunk) => {
    const now = process.hrtime.bigint();
    rest += chunk.toString('latin1');
    for (let match = /"at":"(\d+)"/.exec(rest); match; match = /"at":"(\d+)"/.exec(rest)) {
      delays.push(Number(now - BigInt(match[1] ?? 0)) / 1e6);
      rest = rest.slice(match.index + match[0].length);
    }
    if (rest.includes('event: result')) resolve();
    if (rest.includes('event: failed') || rest.startsWith('HTTP/1.1 5')) reject(new Error(rest));
  });
  socket.on('error', reject);
  return { socket, delays, done: promise };
}

async function measure(port: number, first: (index: number) => number): Promise<number[]> {
  const streams = Array.from({ length: STREAMS }, (_, index) =>
    open(port, { first_ms: 1_000 + first(index), every_ms: 1_000, times: SECONDS + WARM_UP_SECONDS }),
  );
  await Promise.all(streams.map(({ done }) => done));
  for (const { socket } of streams) socket.destroy();
  return streams.flatMap(({ delays }) => delays.slice(WARM_UP_SECONDS)).toSorted((a, b) => a - b);
}

function report(name: string, sorted: readonly number[]): number {
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  console.log(
    `${name.padEnd(16)} ${String(sorted.length).padStart(6)} events  p50 ${at(0.5).toFixed(2)} ms  p90 ${at(0.9).toFixed(2)} ms  p99 ${at(0.99).toFixed(2)} ms  most ${at(1).toFixed(2)} ms`,
  );
  return at(0.99);
}

async function started(kind: 'runtime' | 'bare'): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(SELF, [kind]);
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)));
    child.once('exit', (code) => reject(new Error(`${kind} server ended with ${code}`)));
  });
  return { child, port };
}

async function main(): Promise<void> {
  const peers = { bare: await started('bare'), runtime: await started('runtime') };
  console.log(`${STREAMS} open streams, ${SECONDS} s each`);
  const p99 = { bare: Number.NaN, runtime: Number.NaN };
  for (const kind of ['bare', 'runtime'] as const) {
    const { port } = peers[kind];
    p99[kind] = report(`${kind} spread`, await measure(port, (index) => index));
    report(`${kind} at once`, await measure(port, () => 0));
  }
  for (const { child } of Object.values(peers)) child.kill();
  console.log(`p99 of spread events: ${p99.runtime.toFixed(2)} ms (target < ${TARGET_MS} ms), bare ${p99.bare.toFixed(2)} ms`);
}

const [, , role] = process.argv;
if (role === 'runtime' || role === 'bare') {
  process.send?.(await (role === 'bare' ? serveBare() : serve()));
  process.once('disconnect', () => process.exit(0));
} else await main();

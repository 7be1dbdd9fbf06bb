// A skill call through the agent runtime against a bare node:http handler that reads, parses and answers the
// same JSON. `node bench/skill-call.ts`: medians of several interleaved runs; each server is a process of its
// own, the client writes prepared bytes.
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Agent, skill, z } from '#sdk/typescript/index.ts';
import { startAgent } from '#sdk/typescript/runtime.ts';
import { compared, loadPeer, portOf, serveAsPeer, startPeer, type Measured, type Peer } from './peers.ts';
import { printRatio, QUICK, rounds } from './ratio.ts';

const SELF = fileURLToPath(import.meta.url);
const CONNECTIONS = 32;
const SECONDS = QUICK ? 1 : 2;
const TARGET = 60;
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

/** All answers have one length, so counting bytes counts answers. */
async function load(peer: Peer): Promise<Measured> {
  const request = Buffer.from(
    `POST /invoke/greet HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer bench-key\r\ncontent-type: application/json\r\ncontent-length: ${ARGS.length}\r\n\r\n${ARGS}`,
  );
  const answerReader = () => {
    let missing = 0;
    return (chunk: Buffer): boolean => {
      if (missing === 0) missing = lengthOf(chunk);
      missing -= chunk.length;
      return missing === 0;
    };
  };
  return loadPeer(peer, { request, connections: CONNECTIONS, seconds: SECONDS, answerReader });
}

/** Of a whole answer; its head comes in one piece. */
function lengthOf(first: Buffer): number {
  const head = first.indexOf('\r\n\r\n');
  const text = first.toString('latin1', 0, head);
  const length = /content-length: (\d+)/i.exec(text)?.[1];
  if (!text.startsWith('HTTP/1.1 200') || length === undefined) throw new Error(`unexpected answer: ${first.toString()}`);
  return head + 4 + Number(length);
}

async function main(): Promise<void> {
  const peers = { bare: await startPeer(SELF, 'bare'), runtime: await startPeer(SELF, 'runtime') };
  const seen: Record<keyof typeof peers, Measured[]> = { bare: [], runtime: [] };
  for (let round = 0; round < rounds(5); round += 1) {
    for (const kind of ['bare', 'runtime'] as const) seen[kind].push(await load(peers[kind]));
  }
  for (const { child } of Object.values(peers)) child.kill();
  const { peer, ours, ratio, spread, byProcessorTime } = compared(seen.bare, seen.runtime);
  for (const [name, { rate, cpu }] of Object.entries({ bare: peer, runtime: ours })) {
    console.log(`${name.padEnd(8)} ${rate.toFixed(0).padStart(6)} requests/s  ${cpu.toFixed(1).padStart(5)} µs of processor time each`);
  }
  printRatio({ name: 'skill call, of bare Node', ratio: ratio * 100, unit: '%', spread: [spread[0] * 100, spread[1] * 100], target: TARGET });
  printRatio({ name: 'skill call, by processor time', ratio: byProcessorTime * 100, unit: '%', target: TARGET });
}

const [, , role] = process.argv;
if (role === 'bare') serveAsPeer(await bare());
else if (role === 'runtime') serveAsPeer(await runtime());
else await main();

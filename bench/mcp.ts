// tools/call per second over Streamable HTTP: the agent runtime against the official SDK's own server (McpServer, createMcpHandler, its node adapter)
// with the same tool, same schemas, same answer. `node bench/mcp.ts`: medians of interleaved rounds; each server is a process of its own.
import { fork, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { Agent, skill, z } from '../sdk/typescript/index.ts';
import { startAgent } from '../sdk/typescript/runtime.ts';

const SELF = fileURLToPath(import.meta.url);
const CONNECTIONS = 16;
const SECONDS = 2;
const ROUNDS = 5;

const input = z.object({ name: z.string() });
const output = z.object({ greeting: z.string() });

class Greeter extends Agent {
  name = 'greeter';
  description = 'Greets.';
  version = '0.1.0';
  override concurrency = 64;
  greet = skill({ description: 'Greets.', input, output }, async (_ctx, { name }) => ({ greeting: `Hello ${name}` }));
}

function official(): Promise<number> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'greeter', version: '0.1.0' });
    server.registerTool('greet', { description: 'Greets.', inputSchema: input, outputSchema: output }, ({ name }) => {
      const structuredContent = { greeting: `Hello ${name}` };
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
    });
    return server;
  });
  const node = toNodeHandler(handler);
  const server = createServer((req, res) => {
    // A server's request has a method and a URL; node's type, shared with clients, does not say so.
    void node(req as Parameters<typeof node>[0], res);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(portOf(server.address()))));
}

async function runtime(): Promise<number> {
  const { server } = await startAgent(Greeter, { listen: { host: '127.0.0.1', port: 0 } });
  return portOf(server.address());
}

function portOf(address: unknown): number {
  if (typeof address === 'object' && address !== null && 'port' in address && typeof address.port === 'number') return address.port;
  throw new Error('not listening on a port');
}

const BODIES = {
  '2026-07-28': {
    headers: 'mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: greet\r\n',
    meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
  '2025-11-25': { headers: 'mcp-protocol-version: 2025-11-25\r\n', meta: undefined },
} as const;
type Revision = keyof typeof BODIES;

function requestOf(port: number, revision: Revision): Buffer {
  const { headers, meta } = BODIES[revision];
  const params = { name: 'greet', arguments: { name: 'Ada' }, ...(meta && { _meta: meta }) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const head = `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n${headers}`;
  return Buffer.from(`${head}content-length: ${body.length}\r\n\r\n${body}`);
}

interface Peer {
  child: ChildProcess;
  port: number;
}

interface Measured {
  /** Calls a second. */
  rate: number;
  /** Microseconds of the server's processor time a call; holds still when others use the machine. */
  cpu: number;
}

/** One call in flight a connection; an answer is over when its text has been seen and nothing of it is missing. */
async function load({ child, port }: Peer, revision: Revision): Promise<Measured> {
  const request = requestOf(port, revision);
  let answered = 0;
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1');
    socket.on('connect', () => socket.write(request));
    socket.on('data', (chunk) => {
      text += String(chunk);
      if (!isWhole(text)) return;
      if (!text.includes('Hello Ada')) throw new Error(`unexpected answer: ${text}`);
      text = '';
      answered += 1;
      socket.write(request);
    });
    return socket;
  });
  await new Promise((resolve) => setTimeout(resolve, 700));
  const before = answered;
  const cpuBefore = await cpuOf(child);
  const since = performance.now();
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
  const rate = ((answered - before) / (performance.now() - since)) * 1000;
  const cpu = ((await cpuOf(child)) - cpuBefore) / (answered - before);
  for (const socket of sockets) socket.destroy();
  return { rate, cpu };
}

function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return false;
  const length = /content-length: (\d+)/i.exec(text.slice(0, head))?.[1];
  return length === undefined ? text.endsWith('0\r\n\r\n') : text.length >= head + 4 + Number(length);
}

/** Microseconds of processor time a server has used so far. */
function cpuOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(Number(message)));
    child.send('cpu');
  });
}

function start(kind: 'official' | 'runtime'): Promise<Peer> {
  const child = fork(SELF, [kind]);
  return new Promise((resolve) => child.once('message', (message) => resolve({ child, port: Number(message) })));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function main(): Promise<void> {
  const peers = { official: await start('official'), runtime: await start('runtime') };
  try {
    for (const revision of ['2026-07-28', '2025-11-25'] as const) {
      const found: Record<keyof typeof peers, Measured[]> = { official: [], runtime: [] };
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const name of ['official', 'runtime'] as const) found[name].push(await load(peers[name], revision));
      }
      const rates = { official: median(found.official.map(({ rate }) => rate)), runtime: median(found.runtime.map(({ rate }) => rate)) };
      const cpus = { official: median(found.official.map(({ cpu }) => cpu)), runtime: median(found.runtime.map(({ cpu }) => cpu)) };
      const ratios = found.runtime.map(({ rate }, round) => rate / (found.official[round]?.rate ?? Number.NaN));
      console.log(
        `${revision}: official ${rates.official.toFixed(0)}/s (${cpus.official.toFixed(0)} µs), runtime ${rates.runtime.toFixed(0)}/s (${cpus.runtime.toFixed(0)} µs): ` +
          `${median(ratios).toFixed(2)}x by paired rounds, ${(cpus.official / cpus.runtime).toFixed(2)}x by processor time`,
      );
    }
  } finally {
    peers.official.child.kill();
    peers.runtime.child.kill();
  }
}

const [kind] = process.argv.slice(2);
if (kind === 'official' || kind === 'runtime') {
  process.once('disconnect', () => process.exit(0));
  const port = await (kind === 'official' ? official() : runtime());
  process.send?.(port);
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
} else await main();

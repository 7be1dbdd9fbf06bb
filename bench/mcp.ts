// tools/call per second over Streamable HTTP: the agent runtime against the official SDK's own server
// (McpServer, createMcpHandler, its node adapter) with the same tool, same schemas, same answer. `node
// bench/mcp.ts`: medians of interleaved rounds; each server is a process of its own.
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { Agent, skill, z } from '#sdk/typescript/index.ts';
import { startAgent } from '#sdk/typescript/runtime.ts';
import { compared, loadPeer, portOf, serveAsPeer, startPeer, type Measured, type Peer } from './peers.ts';
import { printRatio, QUICK, rounds } from './ratio.ts';

const SELF = fileURLToPath(import.meta.url);
const CONNECTIONS = 16;
const SECONDS = QUICK ? 1 : 2;
const TARGET = 1;

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

/** An answer is over when its text has come and nothing of it is missing. */
function load(peer: Peer, revision: Revision): Promise<Measured> {
  const answerReader = () => {
    let text = '';
    return (chunk: Buffer): boolean => {
      text += chunk.toString('latin1');
      if (!isWhole(text)) return false;
      if (!text.includes('Hello Ada')) throw new Error(`unexpected answer: ${text}`);
      text = '';
      return true;
    };
  };
  return loadPeer(peer, { request: requestOf(peer.port, revision), connections: CONNECTIONS, seconds: SECONDS, answerReader });
}

function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return false;
  const length = /content-length: (\d+)/i.exec(text.slice(0, head))?.[1];
  return length === undefined ? text.endsWith('0\r\n\r\n') : text.length >= head + 4 + Number(length);
}

async function main(): Promise<void> {
  const peers = { official: await startPeer(SELF, 'official'), runtime: await startPeer(SELF, 'runtime') };
  try {
    for (const revision of ['2026-07-28', '2025-11-25'] as const) {
      const measurements: Record<keyof typeof peers, Measured[]> = { official: [], runtime: [] };
      for (let round = 0; round < rounds(5); round += 1) {
        for (const name of ['official', 'runtime'] as const) measurements[name].push(await load(peers[name], revision));
      }
      const { peer, ours, ratio, spread, byProcessorTime } = compared(measurements.official, measurements.runtime);
      const say = ({ rate, cpu }: Measured): string => `${rate.toFixed(0)}/s (${cpu.toFixed(0)} µs)`;
      console.log(`${revision}: official ${say(peer)}, runtime ${say(ours)}, ${byProcessorTime.toFixed(2)}x by processor time`);
      printRatio({ name: `tools/call ${revision}, of the SDK`, ratio, unit: 'x', spread, target: TARGET });
    }
  } finally {
    peers.official.child.kill();
    peers.runtime.child.kill();
  }
}

const [kind] = process.argv.slice(2);
if (kind === 'official') serveAsPeer(await official());
else if (kind === 'runtime') serveAsPeer(await runtime());
else await main();

// A skill call of a Python agent behind the sidecar against the same skill of a TypeScript agent, in one run.
// Beside them a worker that does nothing but answer: what a second process costs on this machine, whatever is
// written in it. `node bench/python-call.ts`: one caller, then many at once; rounds interleaved, medians.
// Needs Python 3.11 with the SDK: PYTHON=… names one.
import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent, skill, z } from '#sdk/typescript/index.ts';
import { startAgent } from '#sdk/typescript/runtime.ts';
import { startSidecar } from '#sdk/typescript/sidecar.ts';

const SELF = fileURLToPath(import.meta.url);
const PYTHON = process.env['PYTHON'] ?? 'python3';
const ROUNDS = 7;
const CALLS = 1500;
const CONNECTIONS = 16;
const ARGS = JSON.stringify({ name: 'Ada', times: 3 });
const SOURCE = `
from svc import Agent, RunContext, skill

class Greeter(Agent):
    name = "greeter"
    description = "Greets."
    version = "0.1.0"
    concurrency = 64

    @skill()
    async def greet(self, ctx: RunContext, name: str, times: int = 1) -> dict[str, str]:
        return {"greeting": f"Hello {name} " * times}
`;

/** Waits in the kernel, looks at nothing but the number of the call, and says what it always says. */
const NOTHING = `
import os, socket

server = socket.socket(socket.AF_UNIX)
server.bind(os.environ["SVC_WORKER_LISTEN"].removeprefix("unix:"))
server.listen(1)
runtime, _ = server.accept()
runtime.recv(65536)
runtime.sendall(b"HTTP/1.1 101 Switching Protocols\\r\\nconnection: Upgrade\\r\\nupgrade: svc-worker/1\\r\\n\\r\\n")
runtime.sendall(b'{"t":"hello","protocol":"svc-worker/1","language":"none","sdk":"none","skills":["greet"]}\\n')
rest = b""
while more := runtime.recv(65536):
    *lines, rest = (rest + more).split(b"\\n")
    said = b""
    for line in lines:
        if line.startswith(b'{"t":"invoke"'):
            said += b'{"t":"result","id":%b,"value":{"greeting":"Hello Ada Hello Ada Hello Ada "}}\\n' % line[19 : line.index(b",", 19)]
        elif line.startswith(b'{"t":"start"'):
            said += b'{"t":"started"}\\n'
        elif line.startswith(b'{"t":"shutdown"'):
            said += b'{"t":"stopped"}\\n'
    runtime.sendall(said)
`;
const PEERS = ['typescript', 'nothing', 'python'];

class Greeter extends Agent {
  name = 'greeter';
  description = 'Greets.';
  version = '0.1.0';
  override concurrency = 64;
  greet = skill(
    { input: z.object({ name: z.string(), times: z.int().default(1) }), output: z.record(z.string(), z.string()) },
    async (_ctx, { name, times }) => ({ greeting: `Hello ${name} `.repeat(times) }),
  );
}

async function serve(which: string, folder: string): Promise<number> {
  const options = { apiKey: 'bench-key', listen: { host: '127.0.0.1', port: 0 }, onLog: () => {} };
  const dsl = (): unknown => JSON.parse(execFileSync(PYTHON, ['-m', 'svc', 'compile', 'agent:Greeter'], { cwd: folder }).toString());
  const args = which === 'nothing' ? ['nothing.py'] : ['-m', 'svc', 'worker', 'agent:Greeter'];
  const { server, shutdown } =
    which === 'typescript'
      ? await startAgent(Greeter, options)
      : await startSidecar({ ...options, dsl: dsl(), worker: { command: PYTHON, args, cwd: folder } });
  process.once('disconnect', () => void shutdown().then(() => process.exit(0)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}

/** Microseconds of each call, over `connections` at once. */
async function latencies(port: number, connections: number, calls: number): Promise<number[]> {
  const request = Buffer.from(
    `POST /invoke/greet HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer bench-key\r\ncontent-type: application/json\r\ncontent-length: ${ARGS.length}\r\n\r\n${ARGS}`,
  );
  const taken: number[] = [];
  const client = async (): Promise<void> => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    for (let call = 0; call < calls / connections; call += 1) {
      const since = performance.now();
      socket.write(request);
      await answered(socket);
      taken.push((performance.now() - since) * 1000);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, client));
  return taken;
}

function answered(socket: ReturnType<typeof connect>): Promise<void> {
  let text = '';
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      if (!text.endsWith('}')) return;
      socket.off('data', take);
      if (text.startsWith('HTTP/1.1 200')) resolve();
      else reject(new Error(text));
    };
    socket.on('data', take);
  });
}

const quantile = (values: readonly number[], share: number): number => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  writeFileSync(join(folder, 'agent.py'), SOURCE);
  writeFileSync(join(folder, 'nothing.py'), NOTHING);
  const peers = await Promise.all(PEERS.map((which) => start(which, folder)));
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  for (const connections of [1, CONNECTIONS]) {
    const latenciesByPeer = peers.map((): number[][] => []);
    for (const { port } of peers) await latencies(port, connections, CALLS);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, { port }] of peers.entries()) latenciesByPeer[index]?.push(await latencies(port, connections, CALLS));
    }
    const [typescript, ...others] = latenciesByPeer.map((rounds) => ({
      p50: quantile(
        rounds.map((taken) => quantile(taken, 0.5)),
        0.5,
      ),
      p99: quantile(
        rounds.map((taken) => quantile(taken, 0.99)),
        0.5,
      ),
    }));
    if (!typescript) throw new Error('nothing was measured');
    const comparisons = others.map(
      ({ p50, p99 }, index) => `${PEERS[index + 1]} ${p50.toFixed(0)} µs (p99 ${p99.toFixed(0)}), ${(p50 / typescript.p50).toFixed(2)} x`,
    );
    print(`${connections} at once   typescript ${typescript.p50.toFixed(0)} µs (p99 ${typescript.p99.toFixed(0)})   ${comparisons.join('   ')}`);
  }
  for (const { child } of peers) child.disconnect();
  rmSync(folder, { recursive: true, force: true });
}

function start(which: string, folder: string): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(SELF, [which, folder]);
  return new Promise((resolve, reject) => {
    child.once('message', (port) => resolve({ child, port: Number(port) }));
    child.once('exit', (status) => reject(new Error(`${which} ended with status ${status}`)));
  });
}

const [which, folder] = process.argv.slice(2);
if (which && folder) process.send?.(await serve(which, folder));
else await measure();

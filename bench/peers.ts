// Servers that are compared: each in a process of its own, driven over raw connections with prepared bytes,
// its processor time read beside its rate.
import { fork, type ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { median } from './ratio.ts';

export interface Peer {
  child: ChildProcess;
  port: number;
}

export interface Measured {
  /** Requests a second. */
  rate: number;
  /** Microseconds of the server's processor time a request; holds still when others use the machine. */
  cpu: number;
}

/** Runs the benchmark's own file again as one of its servers. */
export function startPeer(file: string, role: string): Promise<Peer> {
  const child = fork(file, [role]);
  return new Promise((resolve, reject) => {
    child.once('message', (port) => resolve({ child, port: Number(port) }));
    child.once('exit', (code) => reject(new Error(`the ${role} server ended with ${code}`)));
  });
}

/** The server's side: says its port, answers with the processor time it has used, ends with its parent. */
export function serveAsPeer(port: number): void {
  process.once('disconnect', () => process.exit(0));
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.send?.(port);
}

export function portOf(address: unknown): number {
  if (typeof address === 'object' && address !== null && 'port' in address && typeof address.port === 'number') return address.port;
  throw new Error('not listening on a port');
}

export interface LoadPlan {
  request: Buffer;
  connections: number;
  seconds: number;
  /** Called with what came; true when one answer is whole. Throws when it is not the expected one. */
  answerReader: () => (chunk: Buffer) => boolean;
}

/** One request under way on each connection. */
export async function loadPeer({ child, port }: Peer, { request, connections, seconds, answerReader }: LoadPlan): Promise<Measured> {
  let answered = 0;
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    const isWhole = answerReader();
    socket.on('data', (chunk) => {
      if (!isWhole(chunk)) return;
      answered += 1;
      socket.write(request);
    });
    return socket;
  });
  await pause(500);
  const before = answered;
  const cpuBefore = await cpuOf(child);
  const since = performance.now();
  await pause(seconds * 1000);
  const rate = ((answered - before) / (performance.now() - since)) * 1000;
  const cpu = ((await cpuOf(child)) - cpuBefore) / (answered - before);
  for (const socket of sockets) socket.destroy();
  return { rate, cpu };
}

/** Medians of each peer's rounds, and of the ratios of paired rounds. */
export function compared(peer: readonly Measured[], ours: readonly Measured[]) {
  const ratios = ours.map(({ rate }, round) => rate / (peer[round]?.rate ?? Number.NaN));
  const of = (all: readonly Measured[], what: keyof Measured): number => median(all.map((one) => one[what]));
  return {
    peer: { rate: of(peer, 'rate'), cpu: of(peer, 'cpu') },
    ours: { rate: of(ours, 'rate'), cpu: of(ours, 'cpu') },
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)] as [number, number],
    byProcessorTime: of(peer, 'cpu') / of(ours, 'cpu'),
  };
}

/** Microseconds of processor time a server has used so far. */
function cpuOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(Number(message)));
    child.send('cpu');
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

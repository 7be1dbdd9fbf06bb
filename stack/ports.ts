// Loopback ports: free ones, remembered ones, and who holds a taken one.
import { randomInt } from 'node:crypto';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { z } from 'zod';
import { readText, writeWhole } from './files.ts';
import { commandLine } from './process.ts';

const Ports = z.record(z.string(), z.int());

const lowest = 10_000;
const tries = 20;

/**
 * A port that was free a moment ago, and that no outgoing connection will be given before a program listens
 * there.
 */
export async function freePort(): Promise<number> {
  for (let n = 0; n < tries; n += 1) {
    const port = randomInt(lowest, firstEphemeral());
    if (await isFree(port)) return port;
  }
  return tryPort(0);
}

/** Where the kernel's own choices begin; Linux reports it, elsewhere they are the last quarter (RFC 6335). */
function firstEphemeral(): number {
  const lowestGiven = Number(readText('/proc/sys/net/ipv4/ip_local_port_range')?.split(/\s+/)[0]);
  return lowestGiven > lowest ? lowestGiven : 49_152;
}

export async function isFree(port: number): Promise<boolean> {
  return tryPort(port).then(
    () => true,
    () => false,
  );
}

/** True when something accepts connections there. */
export function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 });
    const answer = (value: boolean) => {
      socket.destroy();
      resolve(value);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
    socket.once('timeout', () => answer(false));
  });
}

/**
 * The port that `name` had last time, if it is still free; else `preferred`; else any free one. Remembers its
 * choice in `file`.
 */
export async function rememberedPort(file: string, name: string, preferred?: number): Promise<number> {
  const known = readPorts(file);
  const candidates = [known[name], preferred].filter((port) => port !== undefined);
  for (const port of candidates) if (await isFree(port)) return remember(file, name, port);
  return remember(file, name, await freePort());
}

export function knownPort(file: string, name: string): number | undefined {
  return readPorts(file)[name];
}

/** A sentence about a taken port: which, by whom if that can be seen, and how to choose another. */
export function portTaken(port: number, variable: string): string {
  const pid = holder(port);
  const who = pid === undefined ? 'another program' : `process ${pid} (${commandLine(pid).slice(0, 80)})`;
  return `Port ${port} is taken by ${who}. Stop it, or choose another port: ${variable}=${port + 10} npm run up`;
}

function remember(file: string, name: string, port: number): number {
  const known = readPorts(file);
  if (known[name] !== port) writeWhole(file, `${JSON.stringify({ ...known, [name]: port }, null, 2)}\n`);
  return port;
}

function readPorts(file: string): Record<string, number> {
  const text = readText(file);
  if (text === undefined) return {};
  try {
    return Ports.parse(JSON.parse(text));
  } catch {
    return {}; // a damaged note is worth no more than a missing one
  }
}

function tryPort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port'))));
    });
  });
}

/** The pid that listens on a port, from /proc; undefined where it cannot be seen. */
function holder(port: number): number | undefined {
  try {
    const inodes = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listening(table, port));
    return readdirSync('/proc')
      .map(Number)
      .find((pid) => Number.isInteger(pid) && sockets(pid).some((socket) => inodes.includes(socket)));
  } catch {
    return undefined;
  }
}

function listening(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync(table, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === '0A')
    .map((fields) => `socket:[${fields[9]}]`);
}

function sockets(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`);
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

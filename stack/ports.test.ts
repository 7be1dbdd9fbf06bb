import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accepts, freePort, isFree, knownPort, portTaken, rememberedPort } from './ports.ts';

let dir: string;
let file: string;
let servers: Server[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-ports-'));
  file = join(dir, 'ports.json');
  servers = [];
});
afterEach(() => {
  for (const server of servers) server.close();
  rmSync(dir, { recursive: true });
});

function occupy(port: number): Promise<void> {
  return new Promise((resolve) => {
    servers.push(createServer().listen(port, '127.0.0.1', resolve));
  });
}

test('a chosen port is remembered, given up when it is taken, and others are not touched', async () => {
  const preferred = await freePort();
  expect(await rememberedPort(file, 'a', preferred)).toBe(preferred);
  expect(await rememberedPort(file, 'a', await freePort())).toBe(preferred);
  const other = await rememberedPort(file, 'b');
  await occupy(preferred);
  const next = await rememberedPort(file, 'a', preferred);
  expect(next).not.toBe(preferred);
  expect(knownPort(file, 'a')).toBe(next);
  expect(knownPort(file, 'b')).toBe(other);
});

test('a free port is never one that the kernel may give to an outgoing connection meanwhile', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  const [first = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/).map(Number);
  for (const port of ports) expect(port).toBeLessThan(first);
});

test('a damaged note of ports is treated as none', async () => {
  writeFileSync(file, '{"a": 12');
  expect(knownPort(file, 'a')).toBeUndefined();
  expect(await rememberedPort(file, 'a')).toBeGreaterThan(0);
});

test('the message about a taken port names the process and the way out', async () => {
  const port = await freePort();
  expect(await isFree(port)).toBe(true);
  expect(await accepts('127.0.0.1', port)).toBe(false);
  await occupy(port);
  expect(await isFree(port)).toBe(false);
  expect(await accepts('127.0.0.1', port)).toBe(true);
  expect(portTaken(port, 'SVC_PORT')).toContain(`Port ${port} is taken by process ${process.pid}`);
  expect(portTaken(port, 'SVC_PORT')).toContain(`SVC_PORT=${port + 10}`);
});

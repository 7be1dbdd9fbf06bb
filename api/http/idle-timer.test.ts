import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { idleTimeout, sseKeepAlive, withKeepAlive, type IdleTimer } from './idle-timer.ts';

/** A stream through a real connection: what is said on one side, and all that arrived on the other. */
async function stream() {
  const opened = Promise.withResolvers<{ response: ServerResponse; idle: IdleTimer }>();
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    opened.resolve({ response, idle: sseKeepAlive(response, 15) });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const outgoing = request({ port: (server.address() as AddressInfo).port, agent: false }).end();
  let arrived = '';
  outgoing.once('response', (incoming: IncomingMessage) => incoming.on('data', (chunk) => (arrived += String(chunk))));
  const { response, idle } = await opened.promise;
  onTestFinished(() => {
    idle.stop();
    outgoing.destroy();
    server.close();
  });
  const say = (text: string): void => {
    idle.reset(Buffer.from(text));
    response.write(text);
  };
  return { say, idle, arrived: () => arrived };
}

test('a silent event stream is kept by comments, from its first moment and after an event, until it is over', async () => {
  const { say, idle, arrived } = await stream();
  await vi.waitFor(() => expect(arrived()).toMatch(/^(?::\n){2}/));
  say('event: question\ndata: {}\n');
  say('\n');
  await vi.waitFor(() => expect(arrived()).toMatch(/data: \{\}\n\n:\n/));
  idle.stop();
  say('event: result\ndata: 1\n\n');
  await vi.waitFor(() => expect(arrived()).toMatch(/data: 1\n\n$/));
});

test('no comment comes into the middle of an event, whatever pieces it comes in', async () => {
  const { say, arrived } = await stream();
  say('event: text_delta\ndata: {"te');
  const clock = await stream(); // made later, so its second comment says that the first stream had time for one
  await vi.waitFor(() => expect(clock.arrived()).toMatch(/(?::\n){3}/));
  expect(arrived()).toMatch(/"te$/);
  say('xt":"a"}\r\n\r');
  say('\n');
  await vi.waitFor(() => expect(arrived()).toMatch(/"text":"a"\}\r\n\r\n:\n/));
});

test('a stream that is passed on is kept by comments between its events', async () => {
  const agent = new PassThrough();
  const kept = withKeepAlive(agent, 15);
  let arrived = '';
  kept.on('data', (chunk) => (arrived += String(chunk)));
  await vi.waitFor(() => expect(arrived).toMatch(/^(?::\n){2}/));
  agent.write('event: text_delta\ndata: {"te');
  const clock = withKeepAlive(new PassThrough(), 15);
  await vi.waitFor(() => expect(clock.readableLength).toBeGreaterThan(0));
  await vi.waitFor(() => expect(arrived).toMatch(/"te$/));
  agent.write('xt":"a"}\n\n');
  await vi.waitFor(() => expect(arrived).toMatch(/"text":"a"\}\n\n:\n/));
  agent.end('event: result\ndata: 1\n\n');
  await once(kept, 'end');
  expect(arrived).toMatch(/data: 1\n\n$/);
  clock.destroy();
});

test('its reader hears when it breaks off, and the agent when its reader leaves', async () => {
  const [broken, left] = [new PassThrough(), new PassThrough()];
  const reader = withKeepAlive(broken, 15).resume();
  broken.destroy(new Error('the machine ended'));
  expect(await once(reader, 'error').catch((error: unknown) => [error])).toMatchObject([{ message: 'the machine ended' }]);
  const kept = withKeepAlive(left, 15);
  kept.destroy();
  await vi.waitFor(() => expect(left.destroyed).toBe(true));
});

test('a silent answer is reported, until it is over', async () => {
  let told = 0;
  const idle = idleTimeout(20, () => (told += 1));
  await vi.waitFor(() => expect(told).toBeGreaterThan(1));
  idle.stop();
  const after = told;
  let clock = 0;
  const other = idleTimeout(20, () => (clock += 1));
  await vi.waitFor(() => expect(clock).toBeGreaterThan(2));
  other.stop();
  expect(told).toBe(after);
});

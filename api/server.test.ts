import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createApiServer } from './server.ts';

async function serve(api: Parameters<typeof createApiServer>[0]['api'], more: Partial<Parameters<typeof createApiServer>[0]> = {}) {
  const stopping = new AbortController();
  const server = createApiServer({ api, stopping, graceMs: 300, ...more });
  return { server, stopping, url: await server.listen(0, '127.0.0.1') };
}

test('a stop answers what is in flight, even on a connection that would be kept, and then ends', async () => {
  let finish: (() => void) | undefined;
  const { server, url } = await serve((_request, response) => (finish = () => response.end('done')), { graceMs: 60_000 });
  const agent = new Agent({ keepAlive: true });
  const outgoing = request(url, { agent }).end();
  await expect.poll(() => finish).toBeDefined();
  const closed = server.close();
  finish?.();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  expect(await text(response)).toBe('done');
  await closed;
  agent.destroy();
});

test('who does not end in time is ended', async () => {
  const { server, url, stopping } = await serve(() => undefined);
  const outgoing = request(url).end();
  const failed = once(outgoing, 'error');
  outgoing.on('error', () => undefined);
  await once(outgoing, 'socket');
  await server.close();
  await failed;
  expect(stopping.signal.aborted).toBe(true);
});

test('a taken port is said in a sentence', async () => {
  const { server, url } = await serve(() => undefined);
  const second = createApiServer({ api: () => undefined, stopping: new AbortController() });
  await expect(second.listen(Number(new URL(url).port), '127.0.0.1')).rejects.toThrow(/port \d+ is taken.*SVC_PORT/);
  await server.close();
});

test('an unknown upgrade is refused', async () => {
  const { server, url } = await serve(() => undefined);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 /);
  await server.close();
});

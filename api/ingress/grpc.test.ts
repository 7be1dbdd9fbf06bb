// A stream of an agent by gRPC, to a client that does not read: by HTTP/2 itself, for the library's client
// keeps what nobody reads.
import { once } from 'node:events';
import { createServer as createHttp, type ServerResponse } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect, createServer, type AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import { createGrpc } from './grpc.ts';

const EVENTS = 512;
const EVENT_BYTES = 64 * 1024;

/** Writes as fast as it may. */
async function writeAll(id: unknown, answer: ServerResponse, written: { events: number }): Promise<void> {
  const artifactUpdate = { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text: 'x'.repeat(EVENT_BYTES) }] } };
  const event = `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { artifactUpdate } })}\n\n`;
  answer.writeHead(200, { 'content-type': 'text/event-stream' });
  for (; written.events < EVENTS; written.events += 1) if (!answer.write(event)) await once(answer, 'drain');
  answer.end();
}

test('a client that does not read holds the agent back, and gets all of it when it reads', async () => {
  const written = { events: 0 };
  const agent = createHttp(async (request, answer) => {
    const { id, method } = (await json(request)) as { id: unknown; method: string };
    if (method === 'SendStreamingMessage') return writeAll(id, answer, written);
    answer.end(JSON.stringify({ jsonrpc: '2.0', id, result: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } }));
  }).listen(0, '127.0.0.1');
  await once(agent, 'listening');
  const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;
  const grpc = createGrpc(() => connect(portOf(agent), '127.0.0.1'));
  const front = createServer((socket) => grpc.take(socket)).listen(0, '127.0.0.1');
  await once(front, 'listening');
  const client = new Client(`127.0.0.1:${portOf(front)}`, credentials.createInsecure());
  onTestFinished(() => {
    client.close();
    grpc.close(0);
    front.close();
    agent.close();
  });

  const { sendStreamingMessage: streams, getTask: asks } = A2AService;
  const message = { messageId: 'm', contextId: '', taskId: '', role: 1, parts: [], metadata: undefined, extensions: [], referenceTaskIds: [] };
  const sent = { tenant: '', message, configuration: undefined, metadata: undefined };
  const bytes = streams.requestSerialize(sent);
  const head = Buffer.from([0, 0, 0, 0, 0]);
  head.writeUInt32BE(bytes.length, 1);
  const reader = connectHttp2(`http://127.0.0.1:${portOf(front)}`);
  onTestFinished(() => reader.destroy());
  const stream = reader.request({ ':method': 'POST', ':path': streams.path, 'content-type': 'application/grpc', te: 'trailers' });
  stream.end(Buffer.concat([head, bytes]));
  const ask = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const asked = { tenant: '', id: 't', historyLength: undefined };
      client.makeUnaryRequest(asks.path, asks.requestSerialize, asks.responseDeserialize, asked, (error, task) => (error ? reject(error) : resolve(task)));
    });
  // It stands still when nothing was written while others were answered a hundred times.
  for (let before = -1; before !== written.events;) {
    before = written.events;
    for (let n = 0; n < 100; n += 1) await ask();
    if (before === 0) before = -1;
  }
  expect(written.events).toBeLessThan(EVENTS / 2);
  let seen = 0;
  for await (const chunk of stream) seen += (chunk as Buffer).length;
  expect(written.events).toBe(EVENTS);
  expect(seen).toBeGreaterThan(EVENTS * EVENT_BYTES);
});

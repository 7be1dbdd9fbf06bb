// The host's way to the agent's process: new identity for a clone, and the order to end. One JSON line each
// way per connection.
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { lineSplitter, parseJson } from '#drivers/runtime/lines.ts';
import type { ControlReply, ControlRequest, Identity } from './config.ts';

export interface ControlHandlers {
  configure(identity: Identity): Promise<void> | void;
  startup(): Promise<void>;
  shutdown(): Promise<void>;
  working(): number;
}

export async function listenControl(path: string, handlers: ControlHandlers): Promise<Server> {
  await rm(path, { force: true });
  const answer = async (line: string): Promise<ControlReply> => {
    const request = asRequest(parseJson(line));
    try {
      if (request?.op === 'configure') await handlers.configure(request.identity);
      else if (request?.op === 'startup') await handlers.startup();
      else if (request?.op === 'shutdown') await handlers.shutdown();
      else if (request?.op === 'activity') return { ok: true, working: handlers.working() };
      else return { ok: false, message: 'not understood' };
      return { ok: true };
    } catch (error) {
      return { ok: false, message: error instanceof Error ? error.message : 'failed' };
    }
  };
  const server = createServer((socket) => {
    const lines = lineSplitter((line) => void answer(line).then((reply) => socket.end(`${JSON.stringify(reply)}\n`)), 4_194_304);
    socket.on('data', (chunk) => lines.push(chunk));
    socket.on('error', () => socket.destroy());
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve(server));
  });
}

/**
 * Only the host reaches this socket's other end, and it checked what it sends; other programs of the guest
 * can harm only their own guest.
 */
const asRequest = (value: unknown): ControlRequest | undefined =>
  typeof value === 'object' && value !== null && 'op' in value ? (value as ControlRequest) : undefined;

// The host's way to the agent's process: new identity for a clone, and the order to end. One JSON line each way per connection.
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { lineSplitter, parseJson } from '../lines.ts';
import { ControlRequest, type Identity } from './config.ts';

export interface ControlHandlers {
  configure(identity: Identity): Promise<void> | void;
  shutdown(): Promise<void>;
}

export async function listenControl(path: string, handlers: ControlHandlers): Promise<Server> {
  await rm(path, { force: true });
  const answer = async (line: string): Promise<{ ok: boolean; message?: string }> => {
    const request = ControlRequest.safeParse(parseJson(line));
    if (!request.success) return { ok: false, message: 'not understood' };
    try {
      if (request.data.op === 'configure') await handlers.configure(request.data.identity);
      else await handlers.shutdown();
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

// One connection to a box's sshd: asked for, opened as a WebSocket, joined to a pair of streams.
import type { Readable, Writable } from 'node:stream';
import WebSocket from 'ws'; // headers and back-pressure, which Node's own client lacks
import type { Api } from '../lib/api.ts';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { ensureKey, type SshFiles, trustHost, type Where } from './files.ts';

export type Opened = Awaited<ReturnType<Api['agents']['ssh']>>;

/** Bytes that may wait to be sent. */
const HIGH_WATER = 1_048_576;
const HANDSHAKE_MS = 30_000;

/** Asks for the box; from here on its machine starts. */
export async function askForBox(client: Api, where: Where, options: { renew: boolean }): Promise<{ box: Opened; files: SshFiles }> {
  const files = await ensureKey(where, options);
  const box = await client.agents.ssh({ params: { name: where.agent }, body: { public_key: files.publicKey } });
  await trustHost(files, box.host_key);
  return { box, files };
}

/** Resolves when the tunnel has ended in good order. @throws CliError that says why it was refused or lost */
export async function joinTunnel(
  box: Pick<Opened, 'url' | 'protocol' | 'access_token'>,
  input: Readable,
  output: Writable,
  note: (text: string) => void,
): Promise<void> {
  const socket = new WebSocket(box.url, box.protocol, {
    headers: { authorization: `Bearer ${box.access_token}` },
    perMessageDeflate: false,
    handshakeTimeout: HANDSHAKE_MS,
  });
  // Before it is open: the first words may come with the handshake.
  const ended = new Promise<void>((resolve, reject) => {
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) return note(data.toString('utf8').slice(0, 500));
      if (output.write(data)) return;
      socket.pause();
      output.once('drain', () => socket.resume());
    });
    socket.once('close', (code, reason) => {
      if (code === 1000 || code === 1005) resolve();
      else reject(new CliError(reason.toString() || 'The connection to the dev box was lost. Connect again.', code === 1006 ? EXIT.unreachable : EXIT.failure));
    });
    socket.on('error', (error) => reject(new CliError(`The connection to the dev box broke: ${error.message}`, EXIT.unreachable)));
    output.once('error', () => socket.close(1000));
    output.once('close', () => socket.close(1000));
  });
  ended.catch(() => undefined); // awaited below
  await opened(socket);
  void send(socket, input);
  await ended;
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text = (text + chunk.toString()).slice(0, 2_000)));
      response.once('end', () => reject(new CliError(`The tunnel to the dev box was refused (${response.statusCode}): ${messageIn(text)}`)));
    });
    socket.once('error', (error) => reject(new CliError(`The tunnel to the dev box could not be opened: ${error.message}`, EXIT.unreachable)));
  });
}

async function send(socket: WebSocket, input: Readable): Promise<void> {
  try {
    for await (const chunk of input) {
      if (socket.readyState !== socket.OPEN) return;
      const sent = new Promise<void>((resolve) => socket.send(chunk, { binary: true }, () => resolve()));
      if (socket.bufferedAmount > HIGH_WATER) await sent;
    }
    socket.close(1000);
  } catch {
    socket.terminate();
  }
}

function messageIn(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: { message?: string } };
    return detail?.message ?? text;
  } catch {
    return text;
  }
}

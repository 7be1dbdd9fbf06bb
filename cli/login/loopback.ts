// Where the browser comes back to: a listener on this machine for one answer.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';

const PATH = '/callback';

export interface Loopback {
  redirectUri: string;
  /** The address the browser came back with. */
  answer: Promise<URL>;
  close(): void;
}

/** Listens on `port`; when that is taken and `orAnother` is allowed, on a free one. */
export async function listenForAnswer(port: number, orAnother: boolean): Promise<Loopback> {
  const server = createServer();
  const listening = (await tryListen(server, port)) || (orAnother && (await tryListen(server, 0)));
  if (!listening) throw new CliError(`Port ${port} is taken. Choose another with --port, or leave --port out to use a free one.`, EXIT.failure);
  // Safe: a TCP server that is listening has an address with a port.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { promise, resolve } = Promise.withResolvers<URL>();
  server.on('request', (request, response) => {
    const url = new URL(request.url ?? '/', origin);
    if (request.method !== 'GET' || url.pathname !== PATH) return void response.writeHead(404).end();
    const refused = url.searchParams.has('error');
    response.writeHead(refused ? 400 : 200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      connection: 'close',
    });
    response.end(page(refused ? 'You are not signed in' : 'You are signed in', 'Go back to your terminal. You can close this page.'), () => resolve(url));
  });
  return {
    redirectUri: `${origin}${PATH}`,
    answer: promise,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function tryListen(server: Server, port: number): Promise<boolean> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES')) return false;
    throw error;
  }
}

function page(title: string, text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<body style="font:16px/1.5 system-ui,sans-serif;display:grid;place-content:center;min-height:90vh;margin:0;color-scheme:light dark;text-align:center"><h1 style="font-size:22px;margin:0">${title}</h1><p>${text}</p></body></html>`;
}

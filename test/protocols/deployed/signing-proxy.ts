// Adds a token to each request, for programs that can send none.
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

interface SigningProxy {
  url: string;
  close(): Promise<void>;
}

export async function signingProxy(baseUrl: string, token: string): Promise<SigningProxy> {
  const { hostname, port, host } = new URL(baseUrl);
  const server = createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    // What is about the name that the client came by stays as the client has it.
    if (request.headers.host === `127.0.0.1:${own()}`) headers.host = host;
    const onward = send({ hostname, port, method: request.method, path: request.url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Safe: it listens on a port.
  const own = (): number => (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${own()}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

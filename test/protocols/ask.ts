// One request as it is written: with any Host, Origin and path.
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface Asked {
  status: number;
  headers: IncomingMessage['headers'];
  bytes: Buffer;
  text: string;
}

export async function ask(
  base: string,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Asked> {
  const { hostname, port } = new URL(base);
  const outgoing = httpRequest({ hostname, port, path, method, headers, agent: false });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const bytes = await buffer(response);
  return { status: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString() };
}

// For tests: the other side of the platform's run API, held to its contract. Every request is checked against
// the route's schemas, and so is every answer a test gives; what the contract does not allow fails the test.
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { protocolTasks } from '../../../contract/run/protocol-tasks.ts';
import { runContext } from '../../../contract/run/run-context.ts';
import { workspaceGrants } from '../../../contract/workspace/workspace-grants.ts';

const ROUTES = { ...runContext, ...prefixed('grants', workspaceGrants), ...prefixed('tasks', protocolTasks) };
type RouteName = keyof typeof runContext | `grants.${keyof typeof workspaceGrants}` | `tasks.${keyof typeof protocolTasks}`;

interface PeerRequest {
  route: string;
  params: Record<string, string>;
  query: Record<string, unknown>;
  headers: IncomingMessage['headers'];
  /** JSON, or bytes where the route takes bytes. */
  body: unknown;
}
/** A value is a 2xx answer; a refusal has a status. `break` drops the connection. */
type PeerAnswer = { value: unknown } | { status: number; code: string; message: string } | 'break';

export interface Peer {
  url: string;
  seen: PeerRequest[];
  /** Set by tests. */
  answers: Partial<Record<RouteName, (request: PeerRequest) => PeerAnswer>>;
  faults: string[];
}

export async function platformPeer(): Promise<Peer> {
  const peer: Peer = { url: '', seen: [], answers: {}, faults: [] };
  const server = createServer((req, res) => {
    void (async () => {
      const answer = await serveOne(peer, req);
      if (answer === 'break') return void res.destroy();
      if (answer.body instanceof Uint8Array) return void res.writeHead(answer.status).end(answer.body);
      res.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const address = server.address();
  peer.url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  return peer;
}

async function serveOne(peer: Peer, req: IncomingMessage): Promise<'break' | { status: number; body: unknown }> {
  const url = new URL(req.url ?? '/', 'http://peer');
  const found = match(req.method ?? '', url.pathname);
  const refuse = (fault: string): { status: number; body: unknown } => {
    peer.faults.push(`${req.method} ${url.pathname}: ${fault}`);
    return { status: 422, body: { detail: { code: 'contract', message: fault, request_id: 'req_peer' } } };
  };
  if (!found) return refuse('no such route in the contract');
  const { name, route, params } = found;
  const bytes = await buffer(req);
  const query = Object.fromEntries([...url.searchParams].map(([key, value]) => [key, /^\d+$/.test(value) ? Number(value) : value]));
  const isJson = req.headers['content-type']?.startsWith('application/json') === true;
  const body: unknown = isJson ? JSON.parse(bytes.toString()) : new Uint8Array(bytes);
  const checks: [string, unknown, unknown][] = [
    ['params', route.params, params],
    ['query', route.query, query],
    ['headers', route.headers, req.headers],
  ];
  if (isJson) checks.push(['body', route.body, body]);
  for (const [what, schema, value] of checks) {
    if (!(schema instanceof z.core.$ZodType)) continue;
    const parsed = z.safeParse(schema, value);
    if (!parsed.success) return refuse(`${what}: ${z.prettifyError(parsed.error)}`);
  }
  const seen: PeerRequest = { route: name, params, query, headers: req.headers, body };
  peer.seen.push(seen);
  const answer = peer.answers[name as RouteName]?.(seen); // a name of ROUTES
  if (!answer) return refuse(`the test has no answer for ${name}`);
  if (answer === 'break') return answer;
  if ('status' in answer) return { status: answer.status, body: { detail: { code: answer.code, message: answer.message, request_id: 'req_peer' } } };
  const { value } = answer;
  if (route.out instanceof z.core.$ZodType && !(value instanceof Uint8Array)) {
    const parsed = z.safeParse(route.out, value);
    if (!parsed.success) return refuse(`the test's own answer for ${name}: ${z.prettifyError(parsed.error)}`);
  }
  return { status: route.status ?? 200, body: value };
}

interface Route {
  at: string;
  params?: unknown;
  query?: unknown;
  headers?: unknown;
  body?: unknown;
  out?: unknown;
  status?: number;
}

function match(method: string, path: string): { name: string; route: Route; params: Record<string, string> } | undefined {
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    const [verb = '', pattern = ''] = route.at.split(' ');
    const names = [...pattern.matchAll(/\{(\w+)(?::path)?\}/g)].map(([, key]) => key ?? '');
    const regex = new RegExp(
      `^${pattern
        .replaceAll('.', '\\.')
        .replaceAll(/\{\w+:path\}/g, '(.+)')
        .replaceAll(/\{\w+\}/g, '([^/]+)')}$`,
    );
    const found = verb === method ? regex.exec(path) : null;
    if (found) return { name, route, params: Object.fromEntries(names.map((key, index) => [key, decodeURIComponent(found[index + 1] ?? '')])) };
  }
  return undefined;
}

function prefixed(prefix: string, group: object): Record<string, Route> {
  return Object.fromEntries(Object.entries(group).map(([name, route]: [string, Route]) => [`${prefix}.${name}`, route]));
}

// A client of an MCP server over streamable HTTP: one session for each use, every answer bounded and checked.
import { SkillInvocationError, z } from '@svc/sdk';
import { type BoundedAnswer, boundedFetch } from './bounded-fetch.ts';

export interface Settings {
  url: string;
  hosts: readonly string[];
  /** Name of the secret that is sent as bearer; null: none. */
  token: string | null;
  /** Tools that may be listed and called; empty: all. */
  tools: readonly string[];
}

export interface Server {
  url: string;
  hosts: readonly string[];
  token: string | undefined;
  signal: AbortSignal;
}

export const Tool = z.object({
  name: z.string().max(200),
  description: z.string().default(''),
  inputSchema: z.record(z.string(), z.unknown()).default({}),
});
export type Tool = z.infer<typeof Tool>;

const ToolsPage = z.object({ tools: z.array(Tool).max(1_000), nextCursor: z.string().optional() });
export const ToolResult = z.object({
  content: z
    .array(z.looseObject({ type: z.string() }))
    .max(200)
    .default([]),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().default(false),
});
export type ToolResult = z.infer<typeof ToolResult>;

const Initialized = z.object({ protocolVersion: z.string().max(40), serverInfo: z.object({ name: z.string().max(200) }).loose() });
const Reply = z.object({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});
type Reply = z.infer<typeof Reply>;

const VERSION = '2025-06-18';
const [MAX_BYTES, MAX_PAGES, TIMEOUT_SECONDS] = [2 * 1024 * 1024, 10, 60];

export class McpSession {
  readonly serverName: string;
  readonly #server: Server;
  readonly #headers: Record<string, string>;
  #last = 1;

  private constructor(server: Server, headers: Record<string, string>, serverName: string) {
    this.#server = server;
    this.#headers = headers;
    this.serverName = serverName;
  }

  /** Opens a session, does the work, and closes it. @throws SkillInvocationError */
  static async use<T>(server: Server, work: (session: McpSession) => Promise<T>): Promise<T> {
    const session = await McpSession.#open(server);
    try {
      return await work(session);
    } finally {
      await session.#close();
    }
  }

  static async #open(server: Server): Promise<McpSession> {
    const params = { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: 'mcp-bridge', version: '1' } };
    const answer = await post(server, {}, { jsonrpc: '2.0', id: 1, method: 'initialize', params }, 1);
    const { protocolVersion, serverInfo } = checked(Initialized, resultOf(answer, 1, 'initialize'), 'initialize');
    const id = answer.headers.get('mcp-session-id');
    const session = new McpSession(server, { 'mcp-protocol-version': protocolVersion, ...(id !== null && { 'mcp-session-id': id }) }, serverInfo.name);
    await post(server, session.#headers, { jsonrpc: '2.0', method: 'notifications/initialized' });
    return session;
  }

  async tools(): Promise<Tool[]> {
    const found: Tool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { tools, nextCursor } = checked(ToolsPage, await this.#request('tools/list', cursor === undefined ? {} : { cursor }), 'tools/list');
      found.push(...tools);
      if (nextCursor === undefined) return found;
      cursor = nextCursor;
    }
    return found;
  }

  async call(name: string, args: { [name: string]: unknown }): Promise<ToolResult> {
    return checked(ToolResult, await this.#request('tools/call', { name, arguments: args }), 'tools/call');
  }

  async #request(method: string, params: object): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    return resultOf(await post(this.#server, this.#headers, { jsonrpc: '2.0', id, method, params }, id), id, method);
  }

  /** Servers that keep no sessions refuse this, which is fine. */
  async #close(): Promise<void> {
    if (this.#headers['mcp-session-id'] === undefined) return;
    const { url, hosts, signal } = this.#server;
    await boundedFetch(url, { hosts, signal, method: 'DELETE', headers: { ...authorization(this.#server), ...this.#headers } }).catch(() => undefined);
  }
}

async function post(server: Server, headers: Record<string, string>, message: object, id?: number): Promise<BoundedAnswer> {
  const { url, hosts, signal } = server;
  const answer = await boundedFetch(url, {
    hosts,
    signal,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...authorization(server), ...headers },
    body: JSON.stringify(message),
    timeoutSeconds: TIMEOUT_SECONDS,
    maxBytes: MAX_BYTES,
    // A server may leave its stream open after the reply.
    ...(id !== undefined && { until: (text) => text.startsWith('{') === false && replyIn(text, id) !== undefined }),
  });
  if (answer.status === 401 || answer.status === 403)
    throw new SkillInvocationError(`The MCP server refuses the credential (${answer.status}): store a valid one with "svc secrets set".`, { status: 502 });
  if (answer.status >= 400) throw new SkillInvocationError(`The MCP server answered ${answer.status}: check its address in settings.ts.`, { status: 502 });
  return answer;
}

function authorization({ token }: Server): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

function resultOf({ text }: BoundedAnswer, id: number, method: string): unknown {
  const reply = replyIn(text, id);
  if (!reply) throw new SkillInvocationError(`The MCP server gave no reply to ${method}: check that its address is that of an MCP server.`, { status: 502 });
  if (reply.error)
    throw new SkillInvocationError(`The MCP server refused ${method}: ${reply.error.message.slice(0, 500)} (${reply.error.code})`, { status: 502 });
  return reply.result;
}

/** In JSON, or in the events of a stream. Other messages are passed over. */
export function replyIn(text: string, id: number): Reply | undefined {
  const events = text.replaceAll(/\r\n?/g, '\n').split('\n\n');
  const data = events.map((event) =>
    event
      .split('\n')
      .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).replace(/^ /, '')] : []))
      .join('\n'),
  );
  return [text, ...data]
    .flatMap((one) => [parsed(one)].flat())
    .flatMap((message) => Reply.safeParse(message).data ?? [])
    .find((reply) => reply.id === id && (reply.error !== undefined || reply.result !== undefined));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function checked<S extends z.ZodType>(schema: S, value: unknown, method: string): z.output<S> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new SkillInvocationError(`The MCP server answered ${method} with something else than the protocol says.`, { status: 502 });
}

// A call of a skill as `tools/call` of MCP, of both eras: the official client finds out which. What a tool
// asks (elicitation) its caller is asked.
import { Client, type CallToolResult, SdkHttpError, StreamableHTTPClientTransport, type Tool, UnauthorizedError } from '@modelcontextprotocol/client';
import { VERSION } from '#version.ts';
import { exactly } from './exact.ts';
import { MAX_SKILLS } from './a2a-card.ts';
import { cut, skillNames, versionOf } from './names.ts';
import { faultOf, type Network } from './network.ts';
import { type Listener, type Place, type RemoteAgent, type RemoteCall, type RemoteCard, RemoteFault, type RemoteSkill } from './port.ts';
import { type Piece, REMOTE_ANSWER_SCHEMA, remoteAnswerOf } from './answer.ts';
import { checkedInputSchema, checkedSchema } from './schemas.ts';

const ME = { name: 'svc', version: VERSION };
const MAX_TEXT = 4_000;
const MAX_PAGES = 20;
const DISCOVERY_MS = 12_000;
/** The caller's signal ends a call, and so does the skill's own time. */
const CALL_MS = 24 * 3600 * 1000;
/** Connections of stateless servers that wait for their next call. */
const MAX_IDLE = 64;

interface Connected {
  client: Client;
  transport: StreamableHTTPClientTransport;
  /** Who is asked by the call that has the connection now. */
  listener: Listener | undefined;
}

async function connect(network: Network, { url, credentials, signal }: Place, timeout?: number): Promise<Connected> {
  const capabilities = { elicitation: { form: {} } };
  const client = new Client(ME, { capabilities, versionNegotiation: { mode: 'auto' } });
  const transport = new StreamableHTTPClientTransport(new URL(url), { fetch: exactly(network.fetchFor(new URL(url).origin, credentials)) });
  const connected: Connected = { client, transport, listener: undefined };
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    if (!connected.listener || !('requestedSchema' in params)) return { action: 'decline' };
    const answer: unknown = JSON.parse(await connected.listener.ask(cut(params.message, MAX_TEXT), { ...params.requestedSchema }));
    return { action: 'accept', content: contentOf(answer) };
  });
  await client.connect(transport, { signal, ...(timeout !== undefined && { timeout }) });
  return connected;
}

/** @throws RemoteFault */
export async function discoverMcp(network: Network, place: Place): Promise<RemoteCard> {
  let connected: Connected | undefined;
  try {
    connected = await connect(network, place, DISCOVERY_MS);
    const { client } = connected;
    const tools: Tool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const answer = await client.listTools(cursor === undefined ? {} : { cursor }, { signal: place.signal, timeout: DISCOVERY_MS });
      tools.push(...answer.tools);
      cursor = answer.nextCursor;
      if (cursor === undefined || tools.length > MAX_SKILLS) break;
    }
    return cardOf(place.url, client, tools);
  } catch (error) {
    throw asFault(error, place.url, place.signal);
  } finally {
    await connected?.client.close().catch(() => undefined);
  }
}

function cardOf(url: string, client: Client, tools: readonly Tool[]): RemoteCard {
  if (tools.length === 0) throw new RemoteFault('remote_card_invalid', 'The MCP server lists no tools: there is nothing to call');
  if (tools.length > MAX_SKILLS) throw new RemoteFault('remote_card_invalid', `The MCP server lists more than ${MAX_SKILLS} tools`);
  const ids = skillNames(tools.map(({ name }) => name));
  const me = client.getServerVersion();
  return {
    protocol: 'mcp',
    protocol_version: client.getNegotiatedProtocolVersion() ?? 'unknown',
    endpoint: url,
    name: cut(me?.title ?? me?.name ?? '', 200),
    description: cut(client.getInstructions() ?? me?.title ?? '', MAX_TEXT),
    version: versionOf(me?.version ?? ''),
    skills: tools.map((tool, at): RemoteSkill => ({
      id: ids[at] ?? '',
      remote: tool.name,
      name: cut(tool.title ?? tool.annotations?.title ?? tool.name, 200),
      description: cut(tool.description ?? '', MAX_TEXT),
      tags: [],
      stream: false,
      typed: tool.outputSchema !== undefined,
      input_schema: checkedInputSchema(tool.inputSchema, `The input schema of ${cut(tool.name, 64)}`),
      output_schema: tool.outputSchema ? checkedSchema(tool.outputSchema, `The output schema of ${cut(tool.name, 64)}`) : REMOTE_ANSWER_SCHEMA,
    })),
    security: [],
    source: null,
  };
}

export function mcpAgent(network: Network, { endpoint }: Pick<RemoteCard, 'endpoint'>): RemoteAgent {
  const idle: Connected[] = [];

  return {
    async call(call) {
      const lent = currentOf(call);
      let connected: Connected | undefined;
      try {
        connected = idle.pop() ?? (await connect(network, { url: endpoint, credentials: call.credentials, signal: call.signal }));
        connected.listener = lent;
        const result = await callTool(connected.client, call);
        connected.listener = undefined;
        // What a server keeps of a session is of one caller: the next gets a session of its own.
        if (connected.transport.sessionId === undefined && idle.length < MAX_IDLE) idle.push(connected);
        else void end(connected);
        return await valueOf(result, call);
      } catch (error) {
        if (connected) void end(connected);
        throw asFault(error, endpoint, call.signal);
      }
    },
    async close() {
      await Promise.all(idle.splice(0).map(end));
    },
  };
}

async function end({ client, transport }: Connected): Promise<void> {
  if (transport.sessionId !== undefined) await transport.terminateSession().catch(() => undefined);
  await client.close().catch(() => undefined);
}

const currentOf = ({ listener }: RemoteCall): Listener => listener;

async function callTool(client: Client, { skill, args, signal, listener }: RemoteCall): Promise<CallToolResult> {
  return client.callTool(
    { name: skill.remote, arguments: args },
    {
      signal,
      timeout: CALL_MS,
      onprogress: ({ message, progress, total }) => {
        const done = { progress, ...(total !== undefined && { total }) };
        void listener.progress(cut(message ?? `${progress}${total === undefined ? '' : ` of ${total}`}`, 2_000), done).catch(() => undefined);
      },
    },
  );
}

async function valueOf(result: CallToolResult, { skill, listener }: RemoteCall): Promise<unknown> {
  const pieces = result.content.flatMap(pieceOf);
  if (result.isError === true) {
    const why = pieces.flatMap((piece) => (piece.kind === 'text' ? [piece.text] : [])).join('\n');
    throw new RemoteFault('remote_failed', cut(why || 'The tool failed and said no reason', MAX_TEXT));
  }
  if (skill.typed) return result.structuredContent ?? null;
  return remoteAnswerOf(result.structuredContent === undefined ? pieces : [...pieces, { kind: 'data', value: result.structuredContent }], listener);
}

function pieceOf(block: CallToolResult['content'][number]): Piece[] {
  if (block.type === 'text') return [{ kind: 'text', text: block.text }];
  if (block.type === 'image' || block.type === 'audio')
    return [{ kind: 'bytes', name: block.type, data: Buffer.from(block.data, 'base64'), mimeType: block.mimeType }];
  if (block.type === 'resource_link') return [{ kind: 'link', name: block.name, uri: block.uri, mimeType: block.mimeType ?? 'application/octet-stream' }];
  const { resource } = block;
  const name = resource.uri.split('/').at(-1) || 'resource';
  if ('text' in resource) return [{ kind: 'bytes', name, data: Buffer.from(resource.text), mimeType: resource.mimeType ?? 'text/plain' }];
  return [{ kind: 'bytes', name, data: Buffer.from(resource.blob, 'base64'), mimeType: resource.mimeType ?? 'application/octet-stream' }];
}

/** A form's answer has plain values. */
function contentOf(answer: unknown): Record<string, string | number | boolean | string[]> {
  if (typeof answer !== 'object' || answer === null) return {};
  const plain = Object.entries(answer).flatMap(([key, value]: [string, unknown]): [string, string | number | boolean | string[]][] => {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return [[key, value]];
    return Array.isArray(value) ? [[key, value.map(String)]] : [];
  });
  return Object.fromEntries(plain);
}

function asFault(error: unknown, at: string, signal: AbortSignal): RemoteFault {
  const url = new URL(at);
  if (error instanceof UnauthorizedError || (error instanceof SdkHttpError && (error.status === 401 || error.status === 403)))
    return new RemoteFault('auth_required', `${url.origin} accepts no call with the credentials that are configured`);
  if (error instanceof SdkHttpError && error.status !== undefined) return new RemoteFault('remote_failed', `${url.origin} answers ${error.status}`);
  const known = faultOf(error, url, signal);
  if (known.code !== 'remote_unreachable' || !(error instanceof Error) || error.name === 'TypeError') return known;
  return new RemoteFault('remote_failed', cut(error.message, 1_000));
}

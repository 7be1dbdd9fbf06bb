// Agents that run elsewhere, made with the official servers of their protocols, behind whatever proof of the
// caller a test wants.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { AgentCard, Message, Role, TaskState } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import {
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
  type RequestContext,
  type ExecutionEventBus,
} from '@a2a-js/sdk/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { z } from 'zod';
import { createMcpHandler, fromJsonSchema, inputRequired, McpServer } from '@modelcontextprotocol/server';

export interface Remote {
  url: string;
  /** Requests that got past the door, as they came. */
  seen: IncomingMessage[];
  close(): Promise<void>;
}

/** Answers 401 unless `admits`. */
export type Door = (request: IncomingMessage) => boolean;

export interface ServeOptions {
  admits?: Door;
  /** Default: a free one. */
  port?: number;
  /** Also before the card. Default false. */
  guardsCard?: boolean;
  tls?: { cert: string; key: string; ca: string };
}

async function serveRemote(
  handler: (url: string) => RequestListener,
  { admits = () => true, guardsCard = false, tls, port = 0 }: ServeOptions = {},
): Promise<Remote> {
  const seen: IncomingMessage[] = [];
  let inner: RequestListener = () => undefined;
  const listener: RequestListener = (request, response) => {
    const open = !guardsCard && request.url?.startsWith('/.well-known/') === true;
    if (!open && !admits(request)) return void response.writeHead(401, { 'www-authenticate': 'Bearer realm="remote"' }).end('no');
    seen.push(request);
    inner(request, response);
  };
  const server: Server = tls ? createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: true }, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${portOf(server)}`;
  inner = handler(url);
  return {
    url,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

// Safe: it listens on TCP.
function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** `host:port`, for SVC_IMPORT_LOCAL_HOSTS. */
export function hostOf({ url }: Remote): string {
  return new URL(url).host;
}

class Echo implements AgentExecutor {
  async execute({ userMessage, taskId, contextId, task }: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const words = userMessage.parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('');
    const data = userMessage.parts.find(({ content }) => content?.$case === 'data')?.content?.value as unknown;
    const say = (state: TaskState, text?: string): void =>
      bus.publish({
        kind: 'statusUpdate',
        data: {
          taskId,
          contextId,
          metadata: undefined,
          status: { state, timestamp: new Date().toISOString(), message: text === undefined ? undefined : agentMessage(text, taskId, contextId) },
        },
      });
    const status = { state: TaskState.TASK_STATE_SUBMITTED, timestamp: undefined, message: undefined };
    bus.publish({ kind: 'task', data: task ?? { id: taskId, contextId, status, artifacts: [], history: [userMessage], metadata: undefined } });
    if (words === 'ask me') say(TaskState.TASK_STATE_INPUT_REQUIRED, 'Which colour?');
    else if (words === 'fail') say(TaskState.TASK_STATE_FAILED, 'I would rather not');
    else {
      say(TaskState.TASK_STATE_WORKING, 'thinking');
      const parts = [{ text: `you said: ${words}` }, ...(data === undefined ? [] : [{ data: { got: data } }])];
      const artifact = { artifactId: 'a', name: 'answer', parts };
      bus.publish({
        kind: 'artifactUpdate',
        data: { taskId, contextId, artifact: artifactOf(artifact), append: false, lastChunk: true, metadata: undefined },
      });
      say(TaskState.TASK_STATE_COMPLETED);
    }
    bus.finished();
  }
  async cancelTask(): Promise<void> {
    await Promise.resolve();
  }
}

function agentMessage(text: string, taskId: string, contextId: string): Message {
  return { ...Message.fromJSON({ messageId: crypto.randomUUID(), parts: [{ text }] }), taskId, contextId, role: Role.ROLE_AGENT };
}

function artifactOf(value: object) {
  const message = Message.fromJSON(value);
  return { artifactId: 'a', name: 'answer', description: '', parts: message.parts, metadata: undefined, extensions: [] };
}

export interface A2aOptions extends ServeOptions {
  /** Members of the card, over the usual ones. */
  card?: Record<string, unknown>;
}

export function a2aCardJson(url: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'Echo Agent',
    description: 'Says what it was told.',
    version: '2.1.0',
    supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'say it', name: 'Say', description: 'Repeats.', tags: ['echo'] }],
    ...more,
  };
}

/** An A2A 1.0 server of the official SDK, over JSON-RPC. */
export function a2aRemote({ card = {}, ...options }: A2aOptions = {}): Promise<Remote> {
  return serveRemote((url) => {
    const json = a2aCardJson(url, card);
    const handler = new JsonRpcTransportHandler(new DefaultRequestHandler(AgentCard.fromJSON(json), new InMemoryTaskStore(), new Echo()));
    return async (request, response) => {
      if (request.url?.split('?')[0] === '/.well-known/agent-card.json')
        return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json));
      if (request.url?.split('?')[0] !== '/rpc') return void response.writeHead(404).end();
      await answerRpc(handler, request, response);
    };
  }, options);
}

/** A remote that speaks only A2A 0.3, with its card where that version had it first. */
export function olderRemote(options: ServeOptions = {}): Promise<Remote> {
  return serveRemote((url) => {
    const card = {
      protocolVersion: '0.3.0',
      name: 'Older Echo',
      description: 'Says what it was told.',
      version: '1.0.0',
      url: `${url}/rpc`,
      preferredTransport: 'JSONRPC',
      capabilities: { streaming: true },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: 'say', name: 'Say', description: 'Repeats.', tags: [] }],
    };
    const current = AgentCard.fromJSON(a2aCardJson(url, { supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' }] }));
    const handler = new LegacyJsonRpcTransportHandler(new DefaultRequestHandler(current, new InMemoryTaskStore(), new Echo()));
    return async (request, response) => {
      if (request.url === '/.well-known/agent.json') return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(card));
      if (request.url !== '/rpc') return void response.writeHead(404).end();
      await answerRpc(handler, request, response);
    };
  }, options);
}

/** Answers every GET with the same, whatever it is. */
export function junkRemote(body: string | (() => string), headers: Record<string, string> = {}, status = 200): Promise<Remote> {
  return serveRemote(() => (request, response) => {
    if (request.method !== 'GET') return void response.writeHead(404).end();
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(typeof body === 'string' ? body : body());
  });
}

async function answerRpc(
  handler: { handle: JsonRpcTransportHandler['handle'] | LegacyJsonRpcTransportHandler['handle'] },
  request: IncomingMessage,
  response: Parameters<RequestListener>[1],
): Promise<void> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const result = await handler.handle(JSON.parse(text), new ServerCallContext({ requestedVersion: String(request.headers['a2a-version'] ?? '0.3') }));
  if (Symbol.asyncIterator in Object(result)) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for await (const event of result as AsyncIterable<unknown>) response.write(`data: ${JSON.stringify(event)}\n\n`);
    return void response.end();
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
}

/** An MCP server of the official SDK, of both eras. */
export function mcpRemote(options: ServeOptions = {}): Promise<Remote> {
  return serveRemote(() => {
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: 'Adder', version: '1.4' }, { capabilities: { tools: {} } });
      server.registerTool(
        'add',
        {
          description: 'Adds.',
          inputSchema: fromJsonSchema({ type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] }),
          outputSchema: fromJsonSchema({ type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }),
        },
        async (args) => {
          const { a, b } = args as { a: number; b: number };
          return { content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } };
        },
      );
      server.registerTool(
        'greet.person',
        { description: 'Asks for a name.', inputSchema: fromJsonSchema({ type: 'object', properties: {} }) },
        async (_args, ctx) => {
          const name = nameIn(ctx.mcpReq.inputResponses?.['who']);
          if (name !== undefined) return { content: [{ type: 'text', text: `Hello, ${name}!` }] };
          return inputRequired({
            inputRequests: {
              who: inputRequired.elicit({ message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } }),
            },
          });
        },
      );
      return server;
    });
    const node = toNodeHandler(handler);
    return (request, response) => {
      if (request.url?.split('?')[0] !== '/mcp') return void response.writeHead(404).end();
      void node(asNodeRequest(request), response);
    };
  }, options);
}

/** Of an accepted form. */
function nameIn(answer: unknown): string | undefined {
  const read = z.object({ content: z.object({ name: z.string() }) }).safeParse(answer);
  return read.success ? read.data.content.name : undefined;
}

// Safe: a request that a server got has a method and an address; the type allows those of answers, which have
// none.
function asNodeRequest(request: IncomingMessage): IncomingMessage & { method: string; url: string } {
  return request as IncomingMessage & { method: string; url: string };
}

// A model provider on this machine: both wires as they are documented, streamed and whole, with what they
// count. For the gateway's tests, which compare what the official clients read of it directly and through the
// gateway.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { messages, countTokens } from './anthropic.ts';
import { type Answering, type Turn, whole } from './answering.ts';
import { generateContent, streamGenerateContent } from './gemini.ts';
import { chatCompletions, embeddings, responses } from './openai.ts';

interface Asked {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
  /** The same as it came. */
  raw: string;
}

export interface Provider {
  /** For a credential's base URL, with the version. */
  url: string;
  /** `host:port`, for the local hosts. */
  host: string;
  asked: Asked[];
  /** Connections that the other side closed before the answer's end. */
  left: number;
  /** What it says; may be changed. */
  words: string[];
  /** What it says to this request, in the place of its words. */
  says: ((body: Record<string, unknown>) => string) | undefined;
  /** Awaited before each word but the first. */
  pace: (at: number) => Promise<void>;
  /** Awaited before any answer. */
  hold: Promise<void> | undefined;
  /**
   * What a scripted model does, one turn for each request; empty: it says its words, and calls the first tool
   * that it is offered.
   */
  turns: Turn[];
  /** Of an answer or a call; in a script no two have the same. */
  nextId: (id: string) => string;
  /** Taken by the next requests, one each. */
  next: { status: number; body: string; headers?: Record<string, string> }[];
  close(): Promise<void>;
}

const Body = z.record(z.string(), z.unknown());
const MODELS = ['m-1', 'm-2', 'other-1'];

export async function startProvider(): Promise<Provider> {
  const server = createServer((request, response) => void answer(provider, request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Safe: it listens on a port, not on a path.
  const { port } = server.address() as AddressInfo;
  const provider: Provider = {
    url: `http://127.0.0.1:${port}/v1`,
    host: `127.0.0.1:${port}`,
    asked: [],
    left: 0,
    words: ['Hel', 'lo, ', 'wörld ', '🙂'],
    says: undefined,
    pace: async () => undefined,
    hold: undefined,
    turns: [],
    nextId: (id) => id,
    next: [],
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return provider;
}

async function answer(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '';
  const raw = await text(request);
  const body = request.method === 'POST' ? Body.parse(JSON.parse(raw)) : {};
  provider.asked.push({ path, headers: request.headers, body, raw });
  response.on('close', () => void (provider.left += response.writableFinished ? 0 : 1));
  await provider.hold;
  const refusal = provider.next.shift();
  if (refusal) return void response.writeHead(refusal.status, { 'content-type': 'application/json', ...refusal.headers }).end(refusal.body);
  const operation = OPERATIONS[path.replace(/\?.*$/, '').replace(/models\/[^:]+:/, 'models:')];
  if (!operation) return void response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"no such path"}}');
  // Of the account at the provider: nobody else is to see them.
  response.setHeader('openai-organization', 'org-of-the-owner');
  response.setHeader('request-id', 'req_of_the_provider');
  const turn = provider.turns.shift();
  const said = provider.says?.(body);
  const saying = said === undefined ? provider : { ...provider, words: [said] };
  const scripted = turn && { ...provider, words: turn.says ?? [], nextId: (id: string) => `${id}_${provider.asked.length}` };
  await operation({ response, body, provider: scripted ?? saying, ...(turn && { calls: turn.calls ?? [] }) });
}

const OPERATIONS: Record<string, (i: Answering) => Promise<void>> = {
  '/v1/chat/completions': chatCompletions,
  '/v1/responses': responses,
  '/v1/embeddings': embeddings,
  '/v1/messages': messages,
  '/v1/messages/count_tokens': countTokens,
  '/v1beta/models:generateContent': generateContent,
  '/v1beta/models:streamGenerateContent': streamGenerateContent,
  '/v1/models': async ({ response }) =>
    whole(response, { object: 'list', data: MODELS.map((id) => ({ id, object: 'model', created: 1, owned_by: 'o' })), has_more: false }),
};

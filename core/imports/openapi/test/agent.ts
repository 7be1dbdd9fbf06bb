// A plan as an agent that can be called, and an HTTP server that writes down what it is asked.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { HttpApi } from '#sdk/typescript/http/api.ts';
import { isJsonObject, type Json } from '../generate/document.ts';
import type { Options, Plan } from '../generate/model.ts';
import { planApi } from '../generate/plan.ts';

const nothing = { tags: [], methods: [], match: undefined, names: [] };
const defaults: Options = {
  name: undefined,
  description: undefined,
  baseUrl: undefined,
  sourceUrl: undefined,
  include: nothing,
  pins: nothing,
  mode: 'auto',
  auth: undefined,
};

export function planOf(document: object, options: Partial<Options> = {}): Plan {
  return planApi(JSON.stringify(document), { ...defaults, ...options });
}

/** The same skills as the source that would be written. */
export function agentClassOf(plan: Plan, more: { operations?: URL } = {}): new () => Agent {
  const api = new HttpApi({
    server: plan.server.url ?? '',
    variables: plan.server.variables,
    credentials: plan.security.credentials,
    security: plan.defaultSecurity,
    schemas: schemasIn(plan.schemas),
    results: schemasIn(plan.results),
    ...more,
  });
  return class extends Agent {
    override name = 'generated';
    override description = 'For tests';
    override version = '1.0.0';
    override consumerSetup = [...plan.server.fields, ...plan.security.fields];
    constructor() {
      super();
      for (const { name, call, description, input, output } of plan.skills)
        Object.assign(this, { [name]: api.operation({ ...call, name, description, input, ...(output && { output }) }) });
      if (more.operations)
        Object.assign(this, { search_operations: api.search('Finds'), describe_operation: api.describe('Describes'), call_operation: api.call('Calls') });
    }
  };
}

function schemasIn(of: Readonly<Record<string, unknown>>): Record<string, Json> {
  return Object.fromEntries(Object.entries(of).flatMap(([name, schema]) => (isJsonObject(schema) ? [[name, schema]] : [])));
}

export interface Heard {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** @param answer default: 200 with `{}` */
export async function listeningApi(answer: (heard: Heard, response: ServerResponse) => void = (_heard, response) => json(response, {})) {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body: Buffer.concat(pieces) };
      heard.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${address.port}`, heard, close: () => server.close() };
}

export function json(response: ServerResponse, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

// `POST /v1/agents/{name}/mcp`: an agent's tools through the API, as at its own address.
import { HEADER } from '#contract/wire/headers.ts';
import { callableRoute } from '../run/callable.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { callTools } from './call-tools.ts';
import type { Performed } from './perform.ts';

export interface McpIn {
  name: string;
  /** A JSON-RPC message. */
  message: unknown;
  /** Of the protocol, by their names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Which forms of an answer the caller takes. */
  accept?: string | undefined;
  grant?: string | undefined;
  signal: AbortSignal;
}

export async function callMcp(ctx: Ctx, i: McpIn): Promise<Performed> {
  const route = await callableRoute(ctx, i.name);
  const headers = [
    ...Object.entries(i.headers).flat(),
    'accept',
    i.accept ?? '*/*',
    'content-type',
    'application/json',
    'authorization',
    // The caller's own token stays here.
    `Bearer ${route.apiKey}`,
    HEADER.requestId,
    ctx.requestId,
    ...(i.grant === undefined ? [] : [HEADER.grant, i.grant]),
  ];
  const body = Buffer.from(JSON.stringify(i.message));
  return callTools(ctx, { route, actor: ctx.actor, grant: i.grant }, { body, headers, signal: i.signal });
}

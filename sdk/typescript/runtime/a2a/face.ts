// The task protocol (A2A) of an agent: which request is of which binding and version. The wire forms are the official package's.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AgentCard as A2aCard } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { AgentCard } from '../../../../contract/wire/card.ts';
import { HEADER } from '../../../../contract/wire/headers.ts';
import type { Principal } from '../../authoring/auth.ts';
import type { Executor } from '../executor.ts';
import { HttpError, readJson } from '../http.ts';
import type { RunOrigin } from '../origin.ts';
import type { Owner } from '../owner.ts';
import type { Answering } from './answer.ts';
import { contextOf, versionOf, type Caller } from './caller.ts';
import { a2aCard, wireCard } from './card.ts';
import { createHandler } from './handler.ts';
import { createLegacyRest, legacyCard } from './legacy-rest.ts';
import { Push } from './push.ts';
import { serveRest } from './rest.ts';
import { createRpc, isLegacy } from './rpc.ts';

export interface A2aParts {
  card: AgentCard;
  executor: Executor;
  maxBodyBytes: number;
  heartbeatMs: number;
  /** The agent asks callers for a bearer token itself. */
  bearer: boolean;
  /** A platform stands before the agent; without a key it is an author's own machine. */
  keyed: () => boolean;
  onError: (error: unknown) => void;
}

export interface A2aFace {
  /** The card at its well-known places; no authentication. */
  card(req: IncomingMessage, baseUrl: string): Promise<unknown>;
  handle(req: IncomingMessage, res: ServerResponse, path: string, caller: A2aCaller): Promise<void>;
  close(): void;
}

export interface A2aCaller {
  auth: Principal;
  owner: Owner;
  origin: RunOrigin;
  requestId: string;
  baseUrl: string;
}

export function createA2a(parts: A2aParts): A2aFace {
  const { card, executor, maxBodyBytes, heartbeatMs } = parts;
  const push = card.capabilities['push_notifications'] === true ? new Push(() => ({ local: !parts.keyed() }), parts.onError) : undefined;
  const cardAt = (baseUrl: string): A2aCard => a2aCard(card, { baseUrl, push: push !== undefined, bearer: parts.bearer });
  const handler = createHandler({ card, executor, push, cardAt });
  const rpc = createRpc(handler);
  const legacyRest = createLegacyRest(handler);

  return {
    async card(req, baseUrl) {
      const current = wireCard(cardAt(baseUrl));
      if (!isLegacy(versionOf(req.headers))) return current;
      // A client that names no version may be of either generation: it finds what each looks for.
      return { ...(await legacyCard(cardAt(baseUrl))), supportedInterfaces: current['supportedInterfaces'] };
    },

    async handle(req, res, path, { requestId, ...from }) {
      const gone = new AbortController();
      res.on('close', () => gone.abort());
      let runId: string | undefined;
      const caller: Caller = { ...from, requestId, gone: gone.signal, onTask: (task) => void (runId = task.runId) };
      const context = contextOf(caller, req.headers);
      const headers = (): Record<string, string> => ({ [HEADER.requestId]: requestId, ...(runId !== undefined && { [HEADER.runId]: runId }) });
      const answering: Answering = { res, headers, heartbeatMs };
      if (path === '/a2a') {
        if (req.method !== 'POST') throw new HttpError(405, 'method_not_allowed', 'use POST', { allow: 'POST' });
        return await rpc(await readJson(req, maxBodyBytes), context, answering);
      }
      const { searchParams: query } = new URL(req.url ?? '/', 'http://agent');
      const request = { method: req.method ?? 'GET', path, query, body: () => readBody(req, maxBodyBytes), context, answering };
      const served = path.startsWith('/v1/') ? await legacyRest(request) : await serveRest(handler, request);
      if (!served) throw new HttpError(404, 'not_found', 'the task protocol has no such route; see /.well-known/agent-card.json');
    },

    close: () => push?.close(),
  };
}

async function readBody(req: IncomingMessage, maxBytes: number): Promise<unknown> {
  try {
    return await readJson(req, maxBytes);
  } catch (error) {
    if (error instanceof HttpError && error.status === 400) throw new RequestMalformedError(error.message);
    throw error;
  }
}

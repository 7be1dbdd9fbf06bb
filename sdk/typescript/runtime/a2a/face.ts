// The task protocol (A2A) of an agent: which request is of which binding and version. The wire forms are the
// official package's.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { A2A_CONTENT_TYPE, type AgentCard as A2aCard } from '@a2a-js/sdk';
import type { AgentCard } from '../../../../contract/wire/card.ts';
import { HEADER } from '../../../../contract/wire/headers.ts';
import type { Principal } from '../../authoring/auth.ts';
import type { Executor } from '../executor.ts';
import { takesPush } from '../../../../contract/wire/a2a-card.ts';
import { cacheable } from '../../../../contract/crypto/cacheable.ts';
import { HttpError, readJson, sendJson } from '../http.ts';
import type { RunOrigin } from '../origin.ts';
import type { Owner } from '../owner.ts';
import type { RunPlatform } from '../platform.ts';
import type { Answering } from './answer.ts';
import { contextOf, type Caller } from './caller.ts';
import { cardFor, coreCard } from './card.ts';
import { createHandler } from './handler.ts';
import { TaskStore } from './task-store.ts';
import { createLegacyRest } from './legacy-rest.ts';
import { Push } from './push.ts';
import { serveRest } from './rest.ts';
import { createRpc, refuseBody } from './rpc.ts';

export interface A2aParts {
  card: AgentCard;
  executor: Executor;
  platform: RunPlatform;
  maxBodyBytes: number;
  heartbeatMs: number;
  /** The agent asks callers for a bearer token itself. */
  bearer: boolean;
  /** A platform stands before the agent; without a key it is an author's own machine. */
  keyed: () => boolean;
  /** Push notifications may go to this machine. */
  localPush: () => boolean;
  onError: (error: unknown) => void;
}

export interface A2aFace {
  /** The card at its well-known places; no authentication. */
  card(req: IncomingMessage, res: ServerResponse, baseUrl: string): void;
  handle(req: IncomingMessage, res: ServerResponse, path: string, caller: A2aCaller): Promise<void>;
  close(): void;
}

interface A2aCaller {
  auth: Principal;
  owner: Owner;
  origin: RunOrigin;
  requestId: string;
  baseUrl: string;
}

export function createA2a(parts: A2aParts): A2aFace {
  const { card, executor, maxBodyBytes, heartbeatMs } = parts;
  const push = takesPush(card) ? new Push(() => ({ local: parts.localPush() }), parts.onError, parts.platform.taskOf?.bind(parts.platform)) : undefined;
  const cardAt = (baseUrl: string): A2aCard => coreCard(card, { baseUrl, bearer: parts.bearer, examples: false });
  const handler = createHandler({ card, executor, push, cardAt, store: new TaskStore(parts.platform, card.name, parts.onError) });
  const rpc = createRpc(handler);
  const legacyRest = createLegacyRest(handler);

  return {
    card(req, res, baseUrl) {
      // Examples are read out of schemas, which may be a stranger's. A platform makes its own card, where
      // that holds nobody up.
      const body = JSON.stringify(cardFor(req.headers, card, { baseUrl, bearer: parts.bearer, examples: !parts.keyed() }));
      const { status, headers } = cacheable(req.headers['if-none-match'], body);
      sendJson(res, status, status === 304 ? '' : body, { ...headers, vary: 'a2a-version' });
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
        if (req.method !== 'POST') throw new HttpError('method_not_allowed', 'use POST', { allow: 'POST' });
        let body: unknown;
        try {
          body = await readJson(req, maxBodyBytes);
        } catch (error) {
          return refuseBody(error, answering);
        }
        return await rpc(body, context, answering);
      }
      const { searchParams: query } = new URL(req.url ?? '/', 'http://agent');
      const request = { method: req.method ?? 'GET', path, query, body: () => readJson(req, maxBodyBytes), type: typeFor(req.headers), context, answering };
      const served = path.startsWith('/v1/') ? await legacyRest(request) : await serveRest(handler, request);
      if (!served) throw new HttpError('not_found', 'the task protocol has no such route; see /.well-known/agent-card.json');
    },

    close: () => push?.close(),
  };
}

/** The protocol's own type for clients that name it, else plain JSON. */
function typeFor({ accept, 'content-type': sent }: IncomingMessage['headers']): string {
  return `${accept ?? ''} ${sent ?? ''}`.includes(A2A_CONTENT_TYPE) ? A2A_CONTENT_TYPE : 'application/json';
}

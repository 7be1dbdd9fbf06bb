// The guest listener: the one entry for requests of guests, a Unix socket that only the host's egress proxy
// opens. Such a request has no client address, reaches only the routes for agents, and counts against the
// limit of its instance.
import { mkdir, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { foldedName, HEADER, isWhereFrom } from '#contract/wire/headers.ts';
import { isForAgents, type HostOwner } from '#contract/wire/host-owner.ts';
import { BadRequest, Forbidden, TooManyRequests } from '#core/kernel/errors.ts';
import { refusalOf, unexpected } from './http/errors.ts';
import { markGuest } from './http/guest.ts';
import { createReceiver, type ReceiverOptions } from './http/receiver.ts';
import { sendRefusal } from './http/refusal.ts';
import { requestId } from './http/request-id.ts';
import { isSessionPath } from './ingress/session-path.ts';

export interface GuestListenerOptions extends Pick<ReceiverOptions, 'onRefused' | 'onError'> {
  ownerOf: (host: string | undefined) => HostOwner;
  /** Answers admitted requests, like those of any other client. */
  handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Requests of one instance; default 2 000 in 10 s. */
  budget?: { points: number; seconds: number };
}

export interface GuestListener {
  listen(socketPath: string): Promise<void>;
  close(): Promise<void>;
}

export function createGuestListener({ ownerOf, handle, budget = { points: 2_000, seconds: 10 }, ...reporters }: GuestListenerOptions): GuestListener {
  const limiter = new RateLimiterMemory({ points: budget.points, duration: budget.seconds });

  async function admit(request: IncomingMessage): Promise<void> {
    const guest = request.headers[HEADER.guest];
    if (typeof guest !== 'string' || !/^[\w-]{1,128}$/.test(guest)) throw new BadRequest('guest_unknown', 'this socket accepts requests of agents only');
    for (const name of Object.keys(request.headers)) if (isWhereFrom(foldedName(name))) delete request.headers[name];
    markGuest(request, guest);
    await limiter.consume(guest).catch((refused: unknown) => {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      const wait = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
      throw new TooManyRequests('rate_limited', `this agent sends too many requests to the platform; try again in ${wait} s`, { retry_after_seconds: wait });
    });
    const raw = (request.url ?? '/').split('?', 1)[0] ?? '';
    const owner = ownerOf(request.headers.host);
    if ((owner.kind === 'agent' || owner.kind === 'box') && isSessionPath(raw)) throw notForAgents('sign-in is for people with a browser');
    if (owner.kind === 'api' && !(isPlain(raw) && isForAgents(request.method ?? '', raw)))
      throw notForAgents('agents reach the run context and granted workspaces of the platform only');
  }

  const receiver = createReceiver({
    ...reporters,
    answer(request, response) {
      admit(request).then(
        () => handle(request, response),
        (error: unknown) => {
          const id = requestId(request.headers['x-request-id']);
          return sendRefusal(request, response, refusalOf(error, id) ?? unexpected(error, id)).catch(() => void response.destroy());
        },
      );
    },
  });
  const { server } = receiver;
  return {
    async listen(socketPath) {
      await mkdir(dirname(socketPath), { recursive: true });
      await rm(socketPath, { force: true });
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ path: socketPath, readableAll: false, writableAll: false }, resolve);
      });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          receiver.stop();
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

/** False where a router and a URL parser could read different paths. */
function isPlain(path: string): boolean {
  return path.startsWith('/') && URL.parse(path, 'http://api')?.pathname === path;
}

function notForAgents(why: string): Forbidden {
  return new Forbidden('not_for_agents', why);
}

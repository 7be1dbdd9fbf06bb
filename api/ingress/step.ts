// A step of the pipeline answers a request, and says how it went, or hands what it found on to the next. What
// it throws refuses the request. It is a promise only where something has to be waited for: steps are on the
// path of every call.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Actor, PlatformConfig } from '#core/kernel/ctx.ts';
import type { IngressRoute } from './route-cache.ts';
import type { Owner, Site } from './host.ts';
import type { Visitor } from './visitor.ts';

/** For the metrics; `broken`: the answer had begun. */
export type Outcome = 'ok' | 'broken';

export type Step<Needs, Adds = undefined> = (visit: Needs) => Outcome | Adds | Promise<Outcome | Adds>;

export interface Platform {
  config: PlatformConfig;
  /** Whose tokens are never shown to an agent. */
  issuer: string;
}

/** Before the first step. */
export interface Visit {
  request: IncomingMessage;
  /** Destroyed when the caller's rights end. */
  connection: ServerResponse | Duplex;
  requestId: string;
  owner: Owner;
  /** Of the query; it has been taken out of the address. */
  integrationToken: string | undefined;
  /** The path as it was asked for, without the query. */
  written: string;
  /** The path to decide by: in one spelling, where it is not a dev box's and not a WebSocket's. */
  path: string;
}

export interface HttpVisit extends Visit {
  response: ServerResponse;
}

export interface UpgradeVisit extends Visit {
  socket: Duplex;
  head: Buffer;
  /** Headers of ours in every answer. */
  own: Record<string, string>;
}

/** At which agent's address. */
export interface AtSite extends Visit {
  site: Site;
}

export interface Routed extends AtSite {
  /** Undefined: no agent serves under that name. */
  route: IngressRoute | undefined;
}

/** The caller may pass. */
export interface Admitted {
  route: IngressRoute;
  /** Anonymous where no credential is required. */
  actor: Actor;
  /** What the caller sent as Authorization, where it is the agent's to judge. */
  callerAuthorization: string | undefined;
  /** The signed-in visitor of the browser, where no token of ours came too. */
  person?: Visitor | undefined;
}

/** What the agent gets. */
export interface Ready extends AtSite, Admitted {
  /** Name and value in turn. */
  headers: string[];
}

export interface Steps<Start, Has = unknown> {
  readonly all: readonly Step<Start, object | undefined>[];
  /** The compiler refuses a step that needs what none before it finds. */
  next<Adds>(step: Step<Has, Adds>): Steps<Start, Has & (Adds extends object ? Adds : unknown)>;
}

export function inOrder<Start, Has = Start>(all: Steps<Start, Has>['all'] = []): Steps<Start, Has> {
  // Safe: by the time of each step, those before it have found what makes a Start a Has.
  return { all, next: (step) => inOrder([...all, step as Step<unknown, object | undefined>]) };
}

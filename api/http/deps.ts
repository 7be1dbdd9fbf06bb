// What the HTTP half needs, handed in by the composition root.
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Actor, PlatformConfig } from '#core/kernel/ctx.ts';
import type { Drivers } from '#core/kernel/drivers.ts';
import type { Followers } from '#core/kernel/followers.ts';
import type { Credentials } from '#core/identity/authenticate.ts';
import type { RateLimits } from './rate-limit.ts';

/** No credentials → anonymous; credentials that do not hold → throws Unauthorized. */
export type Authenticate = (credentials: Credentials) => Promise<Actor>;

export interface HttpDeps {
  config: PlatformConfig;
  db: Knex;
  drivers: Drivers;
  followers: Followers;
  /** Milliseconds since the epoch. */
  clock: () => number;
  authenticate: Authenticate;
  limits: RateLimits;
  log: Logger;
  /** Under test: answers are checked against the contract, undeclared statuses become 500. */
  strict: boolean;
  /** Aborted when the process is asked to stop; streams end with `retry:`. */
  shutdown: AbortSignal;
  /** Milliseconds between comments on a silent stream; default 15 000. */
  heartbeatMs?: number;
}

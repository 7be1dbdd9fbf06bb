// startAgent: what an entry calls.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ActivityReport } from './activity.ts';
import type { AgentServerOptions, Credentials } from './options.ts';
import { createAgentServer, type AgentSource } from './server.ts';
import type { AgentCard } from '../../../contract/wire/card.ts';
import type { Health } from './vitals.ts';
import { watch } from './watchdog/watchdog.ts';

export interface StartOptions extends AgentServerOptions {
  /** Absent: not listening; hand connections over with server.emit('connection', socket). */
  listen?: { host?: string; port: number } | { path: string };
}

export interface StartedAgent {
  server: Server;
  card: AgentCard;
  /**
   * Call after every restore, before any traffic: gives a clone its own key and secrets, and makes it forget
   * random bytes it shares with others.
   */
  update: (credentials: Credentials) => void;
  /**
   * Runs the startup hook now instead of with the first call. @throws Error with the author's own message,
   * for the author
   */
  startup: () => Promise<void>;
  /** Hears when health() takes the agent out of service, and when it is back. */
  onHealth: (hear: (health: Health) => void) => void;
  /** Whether this process may be put to sleep. */
  activity: () => ActivityReport;
  /** Drains, runs the shutdown hook once, closes every connection. Idempotent. */
  shutdown: () => Promise<void>;
}

/**
 * The startup hook runs with startup(), or before the first invocation; not here. @throws
 * AgentDeclarationError, or the listen error (EADDRINUSE …)
 */
export async function startAgent(source: AgentSource, options: StartOptions = {}): Promise<StartedAgent> {
  const { server, card, executor, update, activity, shutdown, listening, blocked } = createAgentServer(source, options);
  const unwatch = watch(blocked, server);
  const { listen } = options;
  if (listen) {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(listen, () => {
        server.off('error', reject);
        const address = server.address();
        if (typeof address === 'object' && address) listening(`http://${hostOf(address)}:${address.port}`);
        resolve();
      });
    });
  }
  const startup = (): Promise<void> => executor.startup().catch(asAuthorsOwn);
  return { server, card, update, startup, onHealth: (hear) => executor.vitals.follow(hear), activity, shutdown: () => shutdown().finally(unwatch) };
}

function asAuthorsOwn(error: unknown): never {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  throw cause instanceof Error ? cause : new Error(String(cause));
}

/** "Any address" is none to call. */
function hostOf({ address, family }: AddressInfo): string {
  if (address === '::' || address === '0.0.0.0') return 'localhost';
  return family === 'IPv6' ? `[${address}]` : address;
}

// startAgent: what an entry calls.
import type { Server } from 'node:http';
import type { Agent, AgentClass } from '../authoring/agent.ts';
import type { AgentServerOptions, Credentials } from './options.ts';
import { createAgentServer } from './server.ts';
import type { AgentCard } from '../../../contract/wire/card.ts';

export interface StartOptions extends AgentServerOptions {
  /** Absent: not listening; hand connections over with server.emit('connection', socket). */
  listen?: { host?: string; port: number } | { path: string };
}

export interface StartedAgent {
  server: Server;
  card: AgentCard;
  /** Call after every restore, before any traffic: gives a clone its own key and secrets, and makes it forget random bytes it shares with others. */
  update: (credentials: Credentials) => void;
  /** Drains, runs the shutdown hook once, closes every connection. Idempotent. */
  shutdown: () => Promise<void>;
}

/** The startup hook runs before the first invocation, not here. @throws AgentDeclarationError, or the listen error (EADDRINUSE …) */
export async function startAgent(source: AgentClass | Agent, options: StartOptions = {}): Promise<StartedAgent> {
  const { server, card, update, shutdown } = createAgentServer(source, options);
  const { listen } = options;
  if (listen) {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(listen, () => {
        server.off('error', reject);
        resolve();
      });
    });
  }
  return { server, card, update, shutdown };
}

// One socket for all imported agents: a call is handed to the agent that its key names, and that agent's
// server checks the key.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { rm } from 'node:fs/promises';
import type { Logger } from 'pino';
import { instanceOfKey } from '#core/imports/import/key.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { closeServed, openServed, type ServedImport } from './served.ts';

export interface ImportServer {
  /** An agent's route or connections changed; undefined: perhaps any. */
  changed(agentName: string | undefined): void;
  /** Runs that are under way get `drainMs` to end. */
  close(): Promise<void>;
}

const IDLE_MS = 10 * 60_000;
const SWEEP_MS = 60_000;
const MAX_HEADER_BYTES = 128 * 1024;
/** Longer than the pools of API and worker keep an idle connection. */
const KEEP_ALIVE_MS = 60_000;

export async function startImportServer(ctx: Ctx, log: Logger, socket: string): Promise<ImportServer> {
  const served = new Map<string, Promise<ServedImport | undefined>>();

  const find = async (key: string | undefined): Promise<ServedImport | undefined> => {
    const id = key === undefined ? undefined : instanceOfKey(key);
    if (id === undefined) return undefined;
    const opening = served.get(id) ?? openServed(ctx, log, id);
    served.set(id, opening);
    const servedImport = await opening.catch((error: unknown) => {
      served.delete(id);
      throw error;
    });
    // Asked again, it may be there.
    if (!servedImport) served.delete(id);
    else servedImport.usedAt = ctx.clock();
    return servedImport;
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/health') return void response.writeHead(200).end();
    const servedImport = await find(/^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]);
    if (servedImport) return void servedImport.server.server.emit('request', request, response);
    const detail = { code: 'auth_error', message: 'no imported agent has this key', request_id: '' };
    response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ detail }));
  }

  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      log.error({ err: error }, 'a call of an imported agent failed');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  // A run that waits for a person is silent for days.
  server.requestTimeout = 0;
  server.timeout = 0;
  // Left by one that was killed.
  await rm(socket, { force: true });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve));

  const sweep = setInterval(() => {
    for (const [id, opening] of served) {
      void opening.then(
        async (one) => {
          if (!one || ctx.clock() - one.usedAt < IDLE_MS || one.server.activity().open > 0) return;
          served.delete(id);
          await closeServed(one);
        },
        () => undefined,
      );
    }
  }, SWEEP_MS).unref();

  return {
    changed(agentName) {
      for (const opening of served.values()) {
        void opening.then(
          (one) => (agentName === undefined || one?.agentName === agentName) && one?.credentials.forget(),
          () => undefined,
        );
      }
    },
    async close() {
      clearInterval(sweep);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all(
        [...served.values()].map((opening) =>
          opening.then(
            (one) => one && closeServed(one),
            () => undefined,
          ),
        ),
      );
      server.closeAllConnections();
      await closed;
    },
  };
}

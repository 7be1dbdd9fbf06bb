// Express 4 and 5, or any application that is a node request listener: its routes as skills, without a
// changed line. It is served on loopback, only to this process, and each skill is one request.
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AgentClass, HttpApi } from '../index.ts';
import { describedIn } from '../http/described.ts';
import { routesOf } from './express/routes.ts';
import { type AgentOptions, agentClass } from './shared.ts';

export interface ExpressOptions extends AgentOptions {
  /**
   * The application's own OpenAPI description (3.0 or 3.1), where it has one: then its operations are the
   * skills, with their types. Without, the router's own routes are.
   */
  openapi?: object;
  /** Names of the skills to offer; default: all. */
  only?: readonly string[];
  /** Seconds that one request may take; default 60. */
  timeoutSeconds?: number;
}

/**
 * `export default fromExpress(app, { name: 'shop', description: '…' })`: `GET /orders/:id` is the skill
 * `get_orders_id`. A DELETE asks a person first.
 */
export function fromExpress(app: RequestListener, options: ExpressOptions): AgentClass {
  const { openapi, only, timeoutSeconds = 60 } = options;
  const { operations, schemas } = openapi ? describedIn(openapi) : routesOf(app);
  const unknown = only?.find((name) => !operations.some((one) => one.name === name));
  if (unknown !== undefined) throw new Error(`the application has no operation ${unknown}; it has ${operations.map(({ name }) => name).join(', ')}`);
  if (operations.length === 0) throw new Error('no routes were found: give the OpenAPI description of the application as `openapi`');
  let server: Server | undefined;
  const api = new HttpApi({
    get server() {
      const address = server?.address();
      return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    },
    schemas,
    results: schemas,
    timeoutSeconds,
  });
  const chosen = operations.filter(({ name }) => only?.includes(name) ?? true);
  const startup = async (): Promise<void> => {
    const started = createServer(app);
    await new Promise<void>((resolve, reject) => {
      started.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    server = started;
  };
  const shutdown = async (): Promise<void> => {
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
    server = undefined;
  };
  return agentClass<string, Record<string, unknown>, unknown>(options, Object.fromEntries(chosen.map((one) => [one.name, api.operation(one)])), {
    startup,
    shutdown,
  });
}

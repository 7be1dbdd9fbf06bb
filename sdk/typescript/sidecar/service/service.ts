// An HTTP service beside the runtime: started with a port of its own, kept running, called only over
// loopback.
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { PORT_PLACE, type ServiceDsl } from '../../../../contract/wire/service.ts';
import type { Log } from '../../authoring/context.ts';
import { HealthUnknown } from '../../runtime/vitals.ts';
import { WorkerFailed } from '../errors.ts';
import { Restarter, pause } from '../restarter.ts';
import { startProgram, type WorkerCommand, type WorkerProcess } from '../process.ts';
import { END_GRACE_MS, type WorkerSource } from '../supervisor.ts';

export interface ServiceParts {
  /** The program, or the address of one that runs already. */
  worker: WorkerSource;
  service: ServiceDsl;
  log: Log;
  /** Secrets and settings: a service knows nothing but its environment. */
  env: () => Readonly<Record<string, string>>;
}

interface Running {
  /** `http://127.0.0.1:41233` */
  server: string;
  process?: WorkerProcess;
  /** What it was started with. */
  env: string;
}

/** Shorter than a worker has: most that do not answer by then listen on another port. */
const ANSWERS_WITHIN_MS = 150_000;
const ASK_MS = 3_000;
const LOOPBACK = '127.0.0.1';

export class Service {
  readonly #parts: ServiceParts;
  readonly #kept: Restarter<Running>;
  #process: WorkerProcess | undefined;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    this.#kept = new Restarter({
      name: 'service',
      make: () => this.#start(),
      lost: async ({ process }) => new Error(process ? await process.ended : await new Promise<never>(() => {})),
      clear: () => this.#leave(),
      log: parts.log,
    });
  }

  /** @throws WorkerFailed with what the service wrote last */
  async open(): Promise<void> {
    await this.#kept.open();
  }

  /** Its address, as soon as it takes requests. @throws AgentNotReady when it does not in time */
  async ready(): Promise<string> {
    return (this.#kept.now ?? (await this.#kept.soon())).server;
  }

  /** @throws HealthUnknown while it is being started again */
  async healthy(): Promise<boolean> {
    const running = this.#kept.now;
    if (!running) throw new HealthUnknown('the service is being started again');
    return await this.#answers(running.server);
  }

  /** Restarts the process if its environment has changed. */
  renew(): void {
    const running = this.#kept.now;
    if (running?.process && running.env !== JSON.stringify(this.#parts.env())) void running.process.end(END_GRACE_MS);
  }

  end(): Promise<void> {
    return this.#kept.end();
  }

  async #start(): Promise<Running> {
    const { worker, log } = this.#parts;
    if ('url' in worker) return await this.#reached({ server: worker.url.replace(/\/+$/, ''), env: '' });
    const env = this.#parts.env();
    const port = await freePort();
    this.#process = startProgram(this.#command(worker, port, env), log);
    return await this.#reached({ server: `http://${LOOPBACK}:${port}`, process: this.#process, env: JSON.stringify(env) });
  }

  #command({ args = [], env = {}, ...worker }: WorkerCommand, port: number, given: Readonly<Record<string, string>>): WorkerCommand {
    const { service } = this.#parts;
    const filled = (text: string): string => text.replaceAll(PORT_PLACE, String(port));
    const own = Object.fromEntries(Object.entries(service.env).map(([name, value]) => [name, filled(value)]));
    return { ...worker, args: [...args, ...(service.args ?? []).map(filled)], env: { ...env, ...given, PORT: String(port), ...own } };
  }

  /** Tries until it answers, its process ends, or the time is up. */
  async #reached(running: Running): Promise<Running> {
    const { process, server } = running;
    let ended: string | undefined;
    void process?.ended.then((how) => (ended = how));
    const until = performance.now() + ANSWERS_WITHIN_MS;
    for (let pauseMs = 5; !(await this.#answers(server)); pauseMs = Math.min(200, pauseMs * 1.5)) {
      const late = performance.now() > until || this.#kept.isEnding;
      if (ended === undefined && !late) {
        await pause(pauseMs);
        continue;
      }
      await this.#leave();
      if (ended !== undefined) throw new WorkerFailed(`the service ${ended} before it was ready`, process?.lastWords());
      const remedy = process ? 'it must listen on the port that PORT names' : 'start it first';
      throw new WorkerFailed(`the service does not answer at ${server}${this.#parts.service.ready ?? ''}: ${remedy}`, process?.lastWords());
    }
    return running;
  }

  async #answers(server: string): Promise<boolean> {
    const { ready } = this.#parts.service;
    if (ready === undefined) return await takesConnections(new URL(server));
    try {
      const response = await fetch(`${server}${ready}`, { signal: AbortSignal.timeout(ASK_MS), redirect: 'manual' });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  }

  async #leave(): Promise<void> {
    const left = this.#process;
    this.#process = undefined;
    await left?.end(END_GRACE_MS);
  }
}

async function takesConnections({ hostname, port }: URL): Promise<boolean> {
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80), timeout: ASK_MS });
  try {
    await Promise.race([once(socket, 'connect'), once(socket, 'timeout').then(() => Promise.reject(new Error('no answer in time')))]);
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, LOOPBACK);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('no free port was found');
  return address.port;
}

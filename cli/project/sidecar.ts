// `svc sidecar`: the common runtime on this machine, in front of a worker that runs already.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { readFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { AgentDsl } from '#contract/wire/dsl.ts';
import { startSidecar, WorkerFailed } from '#sdk/typescript/sidecar.ts';
import { ProjectError } from './problem.ts';

export interface SidecarOptions {
  /** Path of the compiled declaration. */
  dsl: string;
  workerUrl: string;
  host: string;
  port: number;
  /** A JSON document instead of a sentence. */
  json: boolean;
  /** Holds SVC_API_KEY and the secrets the card names. */
  env: Readonly<Record<string, string | undefined>>;
}

/** Serves until a signal: the exit code. @throws ProjectError */
export async function runSidecar(
  { dsl: file, workerUrl, host, port, env, json }: SidecarOptions,
  { out, err }: { out: Writable; err: Writable },
): Promise<number> {
  const dsl = await readDsl(file);
  const secrets = Object.fromEntries(dsl.card.required_secrets.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  const apiKey = env['SVC_API_KEY'] || undefined;
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const gaveUp = new AbortController();
  // A signal comes with its name, which is no server.
  const end = (): void => resolve();
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    err.write(`connecting to the worker at ${workerUrl} …\n`);
    const starting = startSidecar({ signal: gaveUp.signal, dsl, worker: { url: workerUrl }, listen: { host, port }, apiKey, secrets });
    const started = await Promise.race([starting, over]);
    if (!started) {
      // Ended while it waits for its worker: nothing is open yet.
      gaveUp.abort();
      await starting.then(({ shutdown }) => shutdown()).catch(() => undefined);
      return 130;
    }
    const address = started.server.address();
    const at = typeof address === 'object' && address ? address.port : port;
    const url = `http://${host === '0.0.0.0' || host === '::' ? 'localhost' : host}:${at}`;
    const { name, version } = dsl.card;
    out.write(json ? `${JSON.stringify({ event: 'serving', name, version, url })}\n` : `${name} ${version} serves ${url} (stop with Ctrl-C)\n`);
    await over;
    await started.shutdown();
    return 0;
  } catch (error) {
    const listening = listenProblem(error);
    if (listening !== undefined) throw new ProjectError([{ message: `${host}:${port} ${listening}` }]);
    if (error instanceof WorkerFailed) throw new ProjectError([{ message: `${error.message}; start it first, or name it with --worker-url` }]);
    throw error;
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}

function listenProblem(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return 'is in use: end what listens there, or choose another --port';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'is not an address of this machine: use --host 127.0.0.1 or 0.0.0.0';
  return code === 'EACCES' ? 'may not be listened at: choose a --port above 1023' : undefined;
}

async function readDsl(file: string): Promise<AgentDsl> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new ProjectError([{ file, message: 'cannot be read: make it with "svc compile", or name another with --dsl' }]);
  });
  let value: unknown;
  try {
    value = JSON.parse(withoutMark(text));
  } catch {
    throw new ProjectError([{ file, message: 'is not JSON: make it again with "svc compile"' }]);
  }
  const read = AgentDsl.safeParse(value);
  if (read.success) return read.data;
  throw new ProjectError(
    read.error.issues.map(({ path, message }) => ({ file, message: `${path.map(String).join('.') || '(top)'}: ${message}; compile it again` })),
  );
}

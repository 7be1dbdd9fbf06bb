// startSidecar: serves an agent whose handlers run in a worker, in any language.
import { AgentDsl } from '../../../contract/wire/dsl.ts';
import type { ServiceDsl } from '../../../contract/wire/service.ts';
import { createLog, stderrSink } from '../runtime/log.ts';
import type { Credentials } from '../runtime/options.ts';
import type { AgentSource } from '../runtime/server.ts';
import { startAgent, type StartedAgent, type StartOptions } from '../runtime/start.ts';
import { declarationOf, WorkerAgent } from './agent.ts';
import { WorkerFailed } from './errors.ts';
import { ServiceAgent, serviceDeclaration } from './service/agent.ts';
import { Service } from './service/service.ts';
import type { SharedProcess } from './shared.ts';
import { Supervisor, type WorkerSource } from './supervisor.ts';

export interface SidecarOptions extends StartOptions {
  /** What `svc compile` wrote: .svc/agent.dsl.json. */
  dsl: unknown;
  /** A worker that runs already, or the command that starts one; then it is ours to keep alive and to end. */
  worker: WorkerSource;
  /** Ends the wait for the worker. */
  signal?: AbortSignal;
}

interface Joining {
  /** In development: the process that has loaded this agent, beside the one that it served before. */
  joins?: SharedProcess | undefined;
}

export interface StartedSidecar extends StartedAgent {
  /** As of the supervisor: for a sidecar that `joins` the process. */
  reload: Supervisor['reload'];
}

/** What runs the skills: a worker, or an HTTP service. */
interface Backend {
  source: AgentSource;
  /** @throws WorkerFailed */
  open: () => Promise<void>;
  /** The secrets may be others now. */
  renew: () => void;
  reload: StartedSidecar['reload'];
  /** Once. */
  end: () => Promise<void>;
}

interface BackendParts {
  dsl: AgentDsl;
  worker: WorkerSource;
  joins: SharedProcess | undefined;
  options: StartOptions;
  secrets: () => Readonly<Record<string, string>>;
}

/**
 * As startAgent; resolves when the worker has said hello, or the service is ready. @throws WorkerFailed, or
 * the listen error
 */
export async function startSidecar({ dsl: compiled, worker, signal, joins, ...options }: SidecarOptions & Joining): Promise<StartedSidecar> {
  const dsl = AgentDsl.safeParse(compiled);
  if (!dsl.success) throw new WorkerFailed(`the compiled declaration is not valid: ${issueLines(dsl.error.issues)}; compile the project again`);
  let credentials: Credentials = { secrets: options.secrets };
  const secrets = (): Readonly<Record<string, string>> => credentials.secrets ?? {};
  const parts = { dsl: dsl.data, worker, joins, options, secrets };
  const { service } = dsl.data;
  const backend = service ? serviceBackend(parts, service) : workerBackend(parts);
  const giveUp = (): void => void backend.end();
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    await backend.open().finally(() => signal?.removeEventListener('abort', giveUp));
    const started = await startAgent(backend.source, options);
    return {
      ...started,
      reload: backend.reload,
      update: (next) => {
        credentials = next;
        started.update(next);
        backend.renew();
      },
      // An agent that never got a call has not been started, and so is not shut down; what runs its skills
      // is.
      shutdown: async () => {
        await started.shutdown();
        await backend.end();
      },
    };
  } catch (error) {
    await backend.end();
    throw error;
  }
}

function workerBackend({ dsl, worker, joins, options, secrets }: BackendParts): Backend {
  const { card } = dsl;
  const supervisor = new Supervisor({
    worker,
    joins,
    skills: card.skills.map((skill) => skill.id),
    log: createLog(options.onLog ?? stderrSink(secrets), { agent: card.name, part: 'worker' }),
    config: asObject(options.config),
    secrets,
  });
  return {
    source: { agent: new WorkerAgent(dsl, supervisor, secrets), declaration: declarationOf(dsl, supervisor) },
    open: () => supervisor.open(),
    renew: () => supervisor.link?.renew(secrets()),
    reload: () => supervisor.reload(),
    end: () => supervisor.end(),
  };
}

function serviceBackend({ dsl, worker, options, secrets }: BackendParts, declared: ServiceDsl): Backend {
  const { card } = dsl;
  const log = createLog(options.onLog ?? stderrSink(secrets), { agent: card.name, part: 'service' });
  const names = [...card.required_secrets, ...card.required_env];
  const env = (): Record<string, string> => Object.fromEntries(names.flatMap((name) => (secrets()[name] === undefined ? [] : [[name, secrets()[name] ?? '']])));
  const service = new Service({ worker, service: declared, log, env });
  return {
    source: { agent: new ServiceAgent(dsl, service), declaration: serviceDeclaration(dsl, declared, service) },
    open: () => service.open(),
    renew: () => service.renew(),
    reload: async () => undefined,
    end: () => service.end(),
  };
}

function asObject(config: unknown): Record<string, unknown> {
  if (config === undefined || config === null) return {};
  if (typeof config !== 'object' || Array.isArray(config)) throw new WorkerFailed('the configuration must be an object');
  return { ...config };
}

function issueLines(issues: readonly { path: PropertyKey[]; message: string }[]): string {
  return issues.map(({ path, message }) => `${path.map(String).join('.') || '(top)'}: ${message}`).join('; ');
}

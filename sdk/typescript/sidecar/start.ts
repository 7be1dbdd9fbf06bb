// startSidecar: serves an agent whose handlers run in a worker, in any language.
import { AgentDsl } from '../../../contract/wire/dsl.ts';
import type { ServiceDsl } from '../../../contract/wire/service.ts';
import { createLog, stderrSink } from '../runtime/log.ts';
import type { Credentials } from '../runtime/options.ts';
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

interface ServiceStart {
  dsl: AgentDsl;
  service: ServiceDsl;
  worker: WorkerSource;
  signal: AbortSignal | undefined;
  options: StartOptions;
  secrets: () => Readonly<Record<string, string>>;
  onUpdate: (next: Credentials) => void;
}

async function startService({ dsl, service: declared, worker, signal, options, secrets, onUpdate }: ServiceStart): Promise<StartedSidecar> {
  const { card } = dsl;
  const log = createLog(options.onLog ?? stderrSink(secrets), { agent: card.name, part: 'service' });
  const names = [...card.required_secrets, ...card.required_env];
  const env = (): Record<string, string> => Object.fromEntries(names.flatMap((name) => (secrets()[name] === undefined ? [] : [[name, secrets()[name] ?? '']])));
  const service = new Service({ worker, service: declared, log, env });
  const giveUp = (): void => void service.end();
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    await service.open();
    const started = await startAgent({ agent: new ServiceAgent(dsl, service), declaration: serviceDeclaration(dsl, declared, service) }, options);
    return {
      ...started,
      reload: async () => undefined,
      update: (next) => {
        onUpdate(next);
        started.update(next);
        service.renew();
      },
      shutdown: async () => {
        await started.shutdown();
        await service.end();
      },
    };
  } catch (error) {
    await service.end();
    throw error;
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}

/** As startAgent; resolves when the worker has said hello, or the service is ready. @throws WorkerFailed, or the listen error */
export async function startSidecar({ dsl: compiled, worker, signal, joins, ...options }: SidecarOptions & Joining): Promise<StartedSidecar> {
  const dsl = AgentDsl.safeParse(compiled);
  if (!dsl.success) throw new WorkerFailed(`the compiled declaration is not valid: ${told(dsl.error.issues)}; compile the project again`);
  const { card } = dsl.data;
  let credentials: Credentials = { secrets: options.secrets };
  const secrets = (): Readonly<Record<string, string>> => credentials.secrets ?? {};
  const { service } = dsl.data;
  if (service) return await startService({ dsl: dsl.data, service, worker, signal, options, secrets, onUpdate: (next) => (credentials = next) });
  const supervisor = new Supervisor({
    worker,
    joins,
    skills: card.skills.map((skill) => skill.id),
    log: createLog(options.onLog ?? stderrSink(secrets), { agent: card.name, part: 'worker' }),
    config: asObject(options.config),
    secrets,
  });
  const source = { agent: new WorkerAgent(dsl.data, supervisor, secrets), declaration: declarationOf(dsl.data, supervisor) };
  const giveUp = (): void => void supervisor.end();
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    await supervisor.open();
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
  try {
    const started = await startAgent(source, options);
    return {
      ...started,
      reload: () => supervisor.reload(),
      update: (next) => {
        credentials = next;
        started.update(next);
        supervisor.link?.renew(secrets());
      },
      // An agent that never got a call has not been started, and so is not shut down; its worker is.
      shutdown: async () => {
        await started.shutdown();
        await supervisor.end();
      },
    };
  } catch (error) {
    await supervisor.end();
    throw error;
  }
}

function asObject(config: unknown): Record<string, unknown> {
  if (config === undefined || config === null) return {};
  if (typeof config !== 'object' || Array.isArray(config)) throw new WorkerFailed('the configuration must be an object');
  return { ...config };
}

function told(issues: readonly { path: PropertyKey[]; message: string }[]): string {
  return issues.map(({ path, message }) => `${path.map(String).join('.') || '(top)'}: ${message}`).join('; ');
}

// The compiled declaration of an HTTP service: its OpenAPI description as skills, and how each is asked.
import { AgentCard } from '../../../../contract/wire/card.ts';
import type { AgentDsl, WorkerLanguage } from '../../../../contract/wire/dsl.ts';
import type { ServiceDeclaration } from '../../../../contract/wire/service.ts';
import { Agent } from '../../authoring/agent.ts';
import { declare } from '../../authoring/declare.ts';
import { AgentDeclarationError } from '../../authoring/errors.ts';
import { HttpApi } from '../../http/api.ts';
import { type Described, type DescribedOperation, describedIn } from '../../http/described.ts';

export interface ServiceProject {
  name: string;
  version: string;
  entrypoint: string;
  language: WorkerLanguage;
  service: ServiceDeclaration;
  /** The parsed OpenAPI description. */
  document: unknown;
}

/** The description, or what svc.yaml says of the service, cannot be used. The message says what to do. */
export class ServiceInvalid extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ServiceInvalid';
  }
}

/** @throws ServiceInvalid */
export function compileService(project: ServiceProject): AgentDsl {
  const { service, language, entrypoint, document } = project;
  const described = read(service.openapi, document);
  const chosen = choose(described.operations, service);
  const declared = cardOf(project, described, chosen);
  const { args, env, ready, timeout_seconds } = service;
  const operations = Object.fromEntries(
    chosen.map(({ name, at, parameters, body }) => [name, { at, ...(parameters && { parameters }), ...(body && { body }) }]),
  );
  return {
    dsl: 1,
    card: declared,
    worker: { language, entrypoint },
    auth_model: {},
    auth_resolver: null,
    frontend: null,
    service: { env, timeout_seconds, operations, ...(args && { args }), ...(ready !== undefined && { ready }) },
  };
}

function read(file: string, document: unknown): Described & { info: Record<string, unknown> } {
  if (typeof document !== 'object' || document === null) throw new ServiceInvalid(`${file} is no OpenAPI description: it is not an object`);
  try {
    const { info } = document as { info?: unknown };
    // Safe: its members are read as unknown.
    return { ...describedIn(document), info: (typeof info === 'object' && info !== null ? info : {}) as Record<string, unknown> };
  } catch (error) {
    throw new ServiceInvalid(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function choose(all: readonly DescribedOperation[], { only, openapi }: ServiceDeclaration): readonly DescribedOperation[] {
  if (all.length === 0) throw new ServiceInvalid(`${openapi} has no operations under "paths"`);
  const unknown = only?.find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined)
    throw new ServiceInvalid(`service.only: ${openapi} has no operation "${unknown}"; it has ${all.map(({ name }) => name).join(', ')}`);
  return all.filter(({ name }) => only?.includes(name) ?? true);
}

function cardOf({ name, version, service }: ServiceProject, { schemas, info }: ReturnType<typeof read>, chosen: readonly DescribedOperation[]): AgentCard {
  const api = new HttpApi({ server: '', schemas, results: schemas, timeoutSeconds: service.timeout_seconds });
  const description = service.description ?? String(info['summary'] ?? info['description'] ?? info['title'] ?? name);
  const DescribedAgent = class extends Agent {
    override readonly name = name;
    override readonly description = description;
    override readonly version = version;
    constructor() {
      super();
      Object.assign(this, Object.fromEntries(chosen.map((one) => [one.name, api.operation(one)])));
    }
  };
  try {
    const { card } = declare(new DescribedAgent());
    const { required_secrets, required_env, egress, resources, concurrency } = service;
    const runtime = { ...card.runtime, concurrency, ...(egress && { egress }), ...(resources && { resources }) };
    return AgentCard.parse({ ...card, required_secrets, required_env, runtime });
  } catch (error) {
    if (!(error instanceof AgentDeclarationError)) throw error;
    throw new ServiceInvalid(error.problems.map(({ attribute, message }) => `${service.openapi}: ${attribute}: ${message}`).join('\n'));
  }
}

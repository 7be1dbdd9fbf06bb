// An agent whose skills are the operations of an HTTP service: to the runtime it is an agent like any other.
import type { AgentDsl } from '../../../../contract/wire/dsl.ts';
import { EMPTY_CALLER_HEADERS, plainHeaders } from '../../../../contract/wire/caller.ts';
import { HEADER } from '../../../../contract/wire/headers.ts';
import { toWire } from '../../authoring/caller.ts';
import type { ServiceDsl } from '../../../../contract/wire/service.ts';
import { Agent } from '../../authoring/agent.ts';
import type { RunContext } from '../../authoring/context.ts';
import type { BoundSkill, Declaration } from '../../authoring/declare.ts';
import { skill } from '../../authoring/skill.ts';
import { HttpApi } from '../../http/api.ts';
import { WorkerFailed } from '../errors.ts';
import { inputModel, outputModel } from '../schemas.ts';
import type { Service } from './service.ts';

export class ServiceAgent extends Agent {
  override readonly name: string;
  override readonly description: string;
  override readonly version: string;
  readonly #service: Service;

  constructor({ card }: AgentDsl, service: Service) {
    super();
    this.name = card.name;
    this.description = card.description;
    this.version = card.version;
    this.#service = service;
  }

  override async startup(): Promise<void> {
    await this.#service.ready();
  }
  override async shutdown(): Promise<void> {
    await this.#service.end();
  }
  override health(): Promise<boolean> {
    return this.#service.healthy();
  }
}

/** What declare() finds out of a class, from the card and the operations. @throws WorkerFailed */
export function serviceDeclaration({ card }: AgentDsl, { operations, timeout_seconds }: ServiceDsl, service: Service): Declaration {
  const skills = card.skills.map((skillCard): [string, BoundSkill] => {
    const { id } = skillCard;
    const operation = operations[id];
    if (!operation) throw new WorkerFailed(`the compiled declaration has no operation for the skill "${id}"; compile the project again`);
    const input = inputModel(skillCard);
    const handler = async (ctx: RunContext, args: Record<string, unknown>): Promise<unknown> => {
      // Where it runs now: after a restart it has another port.
      const api = new HttpApi({ server: await service.ready(), title: 'the service', headers: headersOf, timeoutSeconds: timeout_seconds });
      return await api.operation(operation).handler(ctx, args);
    };
    return [id, { id, field: id, card: skillCard, skill: skill({ input }, handler), input, output: outputModel(skillCard) }];
  });
  return { card, skills: new Map(skills), resources: [] };
}

/** For its own logs and spans, and who calls, by the platform's word. */
function headersOf({ trace, runId, requestId, caller }: RunContext): Readonly<Record<string, string>> {
  return { ...trace, [HEADER.runId]: runId, [HEADER.requestId]: requestId, ...EMPTY_CALLER_HEADERS, ...(caller && plainHeaders(toWire(caller))) };
}

// What the gateway answers, by wire and path.
import { MODEL_GATEWAY_PATH } from '#contract/wire/model-use.ts';
import type { ModelProtocol } from '#drivers/llm/port.ts';
import { anthropicOperations } from './anthropic.ts';
import { openaiOperations } from './openai.ts';
import type { Operation } from './wire.ts';

const OPERATIONS: readonly Operation[] = [...openaiOperations, ...anthropicOperations];

/** As the usage names it. */
export function operationNamed(protocol: ModelProtocol, name: string): Operation | undefined {
  return OPERATIONS.find((one) => one.protocol === protocol && one.name === name);
}

const ADDRESS = new RegExp(`^${MODEL_GATEWAY_PATH}(openai|anthropic)/v1(/[a-z_/]{1,64})$`);

/** Undefined: there is no such one. `path` is without the query. */
export function operationAt(method: string | undefined, path: string): Operation | undefined {
  const [, wire, rest] = ADDRESS.exec(path) ?? [];
  return OPERATIONS.find((one) => one.protocol === wire && one.path === rest && one.method === method);
}

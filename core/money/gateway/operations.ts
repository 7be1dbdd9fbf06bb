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

const ONE_MODEL = new RegExp(`^(${MODEL_GATEWAY_PATH}(?:openai|anthropic)/v1/models)/([!-~]{1,600})$`);

/** Which model an address names, and where it is listed. Undefined: it names none. */
export function modelAt(path: string): { list: string; id: string } | undefined {
  const [, list, id] = ONE_MODEL.exec(path) ?? [];
  if (list === undefined || id === undefined) return undefined;
  try {
    return { list, id: decodeURIComponent(id) };
  } catch {
    return undefined;
  }
}

/** Methods of the operations at this path; HEAD is where GET is. */
export function methodsAt(path: string): string[] {
  return operationsAt(path).flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

/** Undefined: there is no such one. `path` is without the query. */
export function operationAt(method: string | undefined, path: string): Operation | undefined {
  return operationsAt(path).find((one) => one.method === method);
}

function operationsAt(path: string): Operation[] {
  const [, wire, rest] = ADDRESS.exec(path) ?? [];
  return OPERATIONS.filter((one) => one.protocol === wire && one.path === rest);
}

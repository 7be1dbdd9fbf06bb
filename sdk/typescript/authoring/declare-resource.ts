// An agent's resources, checked: addresses of its own, each once.
import type { DeclarationProblem } from './errors.ts';
import { isResource, type Resource } from './resource.ts';

export interface BoundResource {
  name: string;
  uri: string;
  /** The address stands for many. */
  template: boolean;
  resource: Resource;
}

/** The runtime's own, and those a client would read itself. */
const TAKEN = /^(?:svc|ui|https?|file|data|blob|javascript):/i;

export function declareResources(agent: object, problems: DeclarationProblem[]): BoundResource[] {
  const resources: BoundResource[] = [];
  for (const [field, value] of Object.entries(agent)) {
    if (!isResource(value)) continue;
    const { uri, name = field } = value.declaration;
    const template = /[{}]/.test(uri);
    const say = (message: string): void => void problems.push({ attribute: field, message });
    if (TAKEN.test(uri)) say(`the address "${uri}" has a scheme that is taken; use one of your own, such as docs://guide`);
    else if (!URL.canParse(uri.replaceAll(/\{[^{}]*\}/g, 'x')) || uri.length > 1024)
      say(`the address "${uri}" is no URI of at most 1024 characters; write it like docs://guide or docs://pages/{page}`);
    else if (template && typeof value.content !== 'function') say('an address with {names} stands for many: give a function of them');
    else if (resources.some((other) => other.uri === uri)) say(`two resources have the address "${uri}"; give one of them another`);
    else resources.push({ name, uri, template, resource: value });
  }
  return resources;
}

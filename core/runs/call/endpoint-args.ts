// The arguments of a skill from an HTTP request, as the endpoint's mapping says.
import { type EndpointCall, type EndpointMethod, sourceName } from '#contract/wire/endpoints.ts';
import { Invalid } from '../../kernel/errors.ts';

export interface EndpointRequest {
  method: EndpointMethod;
  /** By the names of the path's parameters. */
  path: { name: string; endpoint_name: string };
  query: Record<string, unknown>;
  body: Record<string, unknown>;
  header(name: string): string | undefined;
}

type Schema = Record<string, unknown>;

/**
 * `schema`: of the skill's arguments. What is absent from the request is left out. @throws Invalid for an
 * argument sent where it does not belong
 */
export function endpointArgs({ arguments: sources }: EndpointCall, request: EndpointRequest, schema: Schema): Record<string, unknown> {
  const args = new Map<string, unknown>();
  const taken = new Set<string>();
  const properties = members(schema['properties']);
  const decode = (argument: string, value: unknown): unknown => decoded(value, properties[argument], schema);
  for (const [argument, source] of Object.entries(sources)) {
    const name = sourceName(argument, source);
    taken.add(`${source.in} ${name}`);
    const value = valueOf(request, source.in, name);
    if (value !== undefined) args.set(argument, source.in === 'body' ? value : decode(argument, value));
  }
  const rest: [place: 'body' | 'query', name: string, value: unknown][] = Object.entries(request.body).map(([name, value]) => ['body', name, value]);
  // By convention DELETE has no body: its query gives the arguments. Other query parameters are no arguments.
  if (request.method === 'delete')
    for (const [name, value] of Object.entries(request.query))
      if (Object.hasOwn(properties, name) && value !== undefined) rest.push(['query', name, decode(name, value)]);
  const issues: Invalid['issues'] = [];
  for (const [place, name, value] of rest) {
    if (taken.has(`${place} ${name}`)) continue;
    const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
    if (source) issues.push({ path: [place, name], message: `this argument comes from the ${source.in}: send it there` });
    else if (args.has(name)) issues.push({ path: [place, name], message: 'this argument was sent twice: send it once' });
    else args.set(name, value);
  }
  if (issues.length > 0) throw new Invalid(issues);
  return Object.fromEntries(args);
}

function valueOf({ path, query, body, header }: EndpointRequest, place: 'body' | 'query' | 'header' | 'path', name: string): unknown {
  if (place === 'header') return header(name);
  if (place === 'path') return name === 'name' ? path.name : path.endpoint_name;
  const values = place === 'query' ? query : body;
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/**
 * Text of an address or header as the type that the skill declares; what does not fit stays text, and the
 * agent refuses it.
 */
function decoded(value: unknown, schema: unknown, root: Schema): unknown {
  const types = typesOf(schema, root, 0);
  if (types.has('array')) return [value].flat().map((one) => decoded(one, itemsOf(schema, root), root));
  if (typeof value !== 'string') return value;
  if ((types.has('integer') || types.has('number')) && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value)) return Number(value);
  if (types.has('boolean') && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

function typesOf(schema: unknown, root: Schema, depth: number): Set<unknown> {
  const { type, anyOf, oneOf } = resolved(schema, root);
  if (depth > 4) return new Set();
  const choices = [anyOf, oneOf].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  return new Set([[type].flat(), ...choices.map((choice) => [...typesOf(choice, root, depth + 1)])].flat());
}

function itemsOf(schema: unknown, root: Schema): unknown {
  return resolved(schema, root)['items'];
}

/** `#/$defs/Name`, one step. */
function resolved(schema: unknown, root: Schema): Schema {
  const own = members(schema);
  const name = typeof own['$ref'] === 'string' ? /^#\/\$defs\/([^/]+)$/.exec(own['$ref'])?.[1] : undefined;
  return name === undefined ? own : members(members(root['$defs'])[name]);
}

function members(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

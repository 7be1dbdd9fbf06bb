// From a description and what the caller chose of it to a plan: which skills, with which arguments, server
// and credentials.
import { METHODS } from '#contract/wire/http-operation.ts';
import { bareType } from '#contract/wire/media-type.ts';
import { argumentsOf } from './arguments.ts';
import { chooseOperations, isEmpty, warnOfUnknown } from './choose.ts';
import { BadDescription, isJsonObject, type Json, listOf, objectOf, readOpenApiDocument, textIn } from './document.ts';
import { leftOut } from './left-out.ts';
import type { Mode, Options, Plan, PlannedOperation, OpenApiSchema, Security } from './model.ts';
import { operationNames } from './names.ts';
import { successResponse, pagingOf } from './paging.ts';
import { resolved } from './references.ts';
import { cutAt, Schemas, shortened } from './schemas.ts';
import { requirements, securityOf } from './security.ts';
import { apiServer } from './servers.ts';

/** With more, callers would read tools instead of using them. */
const MAX_SKILLS = 40;
const MAX_OPERATIONS = 30_000;
/** Of all skills' schemas on a card, which as a whole has 512 KiB. */
const MAX_CARD_BYTES = 360 * 1024;
/** Of one result's schema on a card, and in a list of operations, which is read one by one. */
const MAX_OUTPUT_BYTES = { each: 16 * 1024, search: 2 * 1024 } as const;

interface ApiOperation {
  method: string;
  path: string;
  operationId: string | undefined;
  pathItem: Json;
  operation: Json;
  tags: string[];
}

/** @throws BadDescription */
export function planApi(text: string, options: Options): Plan {
  const document = readOpenApiDocument(text);
  const warnings = new Set<string>();
  const all = operationsIn(document);
  if (all.length > MAX_OPERATIONS) throw new BadDescription(`The description has ${all.length} operations; at most ${MAX_OPERATIONS} can be read`);
  const names = operationNames(all);
  const named = all.map((one, i) => ({ ...one, name: names[i] ?? '' }));
  const chosen = chooseOperations(named, options.include);
  if (chosen.length === 0)
    warnings.add(all.length === 0 ? 'The description has no operations' : 'No operation was chosen: correct tags, methods, match or names');
  const pinned = new Set(isEmpty(options.pins) ? [] : chooseOperations(chosen, options.pins).map(({ name }) => name));
  warnOfUnknown(named, options, warnings);
  for (const warning of leftOut(document)) warnings.add(warning);
  const server = apiServer({ servers: document['servers'], baseUrl: options.baseUrl, sourceUrl: options.sourceUrl, warnings });
  const elsewhere = options.baseUrl === undefined ? otherServers(chosen, server.url, options.sourceUrl, warnings) : new Map<string, string>();
  const others = [...new Set([...elsewhere.values()].map((url) => new URL(url).hostname))].slice(0, 15);
  const security = securityOf({ document, hosts: [...server.injectHosts, ...others].slice(0, 16), auth: options.auth, warnings });
  const defaultSecurity = options.auth === undefined ? defaultOf(document, all, security) : [['auth']];
  const inputs = new Schemas(document, 'input');
  const outputs = new Schemas(document, 'output');
  const wantSearch = options.mode === 'search' || (options.mode === 'auto' && chosen.length > MAX_SKILLS);
  const make = (mode: Mode): PlannedOperation[] =>
    chosen.map((one) => operationOf({ document, one, security, defaultSecurity, auth: options.auth, server: elsewhere.get(one.name), inputs, outputs, mode }));
  let mode: Mode = wantSearch ? 'search' : 'each';
  let operations = make(mode);
  if (mode === 'each' && options.mode === 'auto' && cardBytes(operations) > MAX_CARD_BYTES) {
    warnings.add(
      `The schemas of ${operations.length} skills have ${Math.round(cardBytes(operations) / 1024)} KiB, more than a card takes: they are searched instead`,
    );
    mode = 'search';
    operations = make(mode);
  }
  const skills =
    mode === 'each'
      ? operations
      : boundedPins(
          operations.filter(({ name }) => pinned.has(name)),
          warnings,
        );
  if (mode === 'each' && cardBytes(skills) > MAX_CARD_BYTES)
    warnings.add('The schemas are larger than a card takes: choose fewer operations, or the mode search');
  if (security.fields.length === 0 && options.auth === undefined)
    warnings.add('The description says nothing of credentials. If the API needs some, name how: auth bearer, basic, header:NAME, query:NAME or cookie:NAME');
  for (const warning of [...inputs.warnings, ...outputs.warnings].slice(0, 20)) warnings.add(warning);
  const info = objectOf(document['info']);
  return {
    title: textIn(info['title'])?.slice(0, 200) ?? 'API',
    apiVersion: textIn(info['version'])?.slice(0, 100) ?? '',
    description: options.description ?? shortened(textIn(info['description']) ?? textIn(info['title']) ?? 'An API', 400),
    dialect: String(document['x-original-swagger-version'] ?? document['openapi']),
    mode,
    server: { ...server, allowHosts: [...new Set([...server.allowHosts, ...others])], fields: server.fields },
    security: usedOf(security, operations, defaultSecurity),
    defaultSecurity,
    skills,
    operations,
    schemas: Object.fromEntries(reachedBy(inputs, operations, 'input')),
    results: Object.fromEntries(reachedBy(outputs, operations, 'output')),
    total: all.length,
    warnings: [...warnings],
  };
}

function operationsIn(document: Json): ApiOperation[] {
  const paths = Object.entries(objectOf(document['paths'])).filter(([path]) => path.startsWith('/'));
  return paths.flatMap(([path, value]) => {
    const pathItem = resolved(document, value);
    if (!pathItem) return [];
    return METHODS.flatMap((method): ApiOperation[] => {
      const operation = pathItem[method];
      if (!isJsonObject(operation) || method === 'trace') return [];
      const tags = listOf(operation['tags']).filter((tag) => typeof tag === 'string');
      return [{ method: method.toUpperCase(), path, operationId: textIn(operation['operationId']), pathItem, operation, tags }];
    });
  });
}

interface OperationInput {
  document: Json;
  one: ApiOperation & { name: string };
  security: Security;
  defaultSecurity: readonly (readonly string[])[];
  auth: string | undefined;
  server: string | undefined;
  inputs: Schemas;
  outputs: Schemas;
  mode: Mode;
}

function operationOf({ document, one, security, auth, server, inputs, outputs, mode }: OperationInput): PlannedOperation {
  const { method, path, pathItem, operation, name } = one;
  const { input, parameters, body } = argumentsOf({ document, path, pathItem, operation, schemas: inputs, taken: security.places });
  const own = auth === undefined && operation['security'] !== undefined ? requirements(operation['security'], security) : undefined;
  const call = {
    at: `${method} ${path}`,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { body }),
    ...(own && { security: own }),
    ...(server !== undefined && { server }),
  };
  const paging = pagingOf(document, operation, call, method);
  const { schema, type } = successResponse(document, operation);
  const result = schema === undefined ? undefined : outputs.clean(schema);
  const output = result === undefined ? undefined : withinBudget(result, outputs, MAX_OUTPUT_BYTES[mode]);
  const paged = paging && output ? { type: 'object', properties: { pages: { type: 'array', items: output }, next: { type: ['object', 'null'] } } } : output;
  const whole = paging ? withPages(input) : input;
  return {
    name,
    method,
    path,
    tags: one.tags.slice(0, 8),
    description: descriptionOf(one, paging !== undefined),
    call: { ...call, ...(paging && { paging }), ...(type !== undefined && !/json|\*/i.test(type) && { accept: `${bareType(type)}, */*;q=0.5` }) },
    input: whole,
    output: isJsonObject(paged) && Object.keys(paged).length > 0 ? paged : undefined,
    inputBytes: inputs.size(whole),
    outputBytes: paged === undefined ? 2 : outputs.size(paged),
  };
}

function descriptionOf({ method, path, operation }: ApiOperation, paged: boolean): string {
  const summary = textIn(operation['summary']);
  const long = textIn(operation['description']);
  const text = [summary, long === summary ? undefined : long].filter(Boolean).join('\n');
  const shortText = shortened(text, 1_000);
  const pages = paged ? ' Answers pages, and in next the arguments of the page after them.' : '';
  return `${shortText === '' ? `${method} ${path}` : shortText}${pages}${operation['deprecated'] === true ? ' Deprecated.' : ''}`;
}

function withPages(input: OpenApiSchema): OpenApiSchema {
  const properties = {
    ...objectOf(input['properties']),
    max_pages: { type: 'integer', minimum: 1, maximum: 50, default: 1, description: 'How many pages are fetched at once.' },
  };
  return { ...input, properties };
}

/** Exact within the budget; else cut off below a depth that fits. */
function withinBudget(schema: unknown, outputs: Schemas, budget: number): OpenApiSchema | undefined {
  const known = cuts.get(outputs) ?? new Map<string, OpenApiSchema | undefined>();
  cuts.set(outputs, known);
  const key = `${budget} ${JSON.stringify(schema)}`;
  if (!known.has(key)) known.set(key, cutToFit(schema, outputs, budget));
  return known.get(key);
}
/** Many operations answer with the same. */
const cuts = new WeakMap<Schemas, Map<string, OpenApiSchema | undefined>>();

function cutToFit(schema: unknown, outputs: Schemas, budget: number): OpenApiSchema | undefined {
  if (outputs.size(schema, budget) <= budget) return objectOf(schema);
  for (const depth of [4, 3, 2, 1]) {
    const cut = cutAt(schema, depth, outputs.definitions);
    if (JSON.stringify(cut).length <= budget)
      return { ...objectOf(cut), description: `Cut off below level ${depth}: the description of the API has the rest.` };
  }
  return undefined;
}

function reachedBy(schemas: Schemas, operations: readonly PlannedOperation[], side: 'input' | 'output'): Map<string, unknown> {
  const definitions = new Map<string, unknown>();
  for (const operation of operations) for (const name of schemas.reached(operation[side])) definitions.set(name, schemas.definitions.get(name));
  return new Map([...definitions].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function cardBytes(skills: readonly PlannedOperation[]): number {
  return skills.reduce((sum, { inputBytes, outputBytes, description }) => sum + inputBytes + outputBytes + description.length + 300, 0);
}

function boundedPins(pins: readonly PlannedOperation[], warnings: Set<string>): readonly PlannedOperation[] {
  const fittingPins: PlannedOperation[] = [];
  for (const pin of pins.slice(0, MAX_SKILLS)) if (cardBytes([...fittingPins, pin]) <= MAX_CARD_BYTES) fittingPins.push(pin);
  if (fittingPins.length < pins.length)
    warnings.add(`${pins.length} operations are pinned, of which ${fittingPins.length} get a skill of their own; the others are found by search`);
  return fittingPins;
}

/**
 * Only what an operation takes. A field is required when every operation, whichever way it is called, takes
 * it.
 */
function usedOf(security: Security, operations: readonly PlannedOperation[], defaults: readonly (readonly string[])[]): Security {
  const always = new Map<string, number>();
  const uses = operations.map(({ call }) => call.security ?? defaults);
  for (const lists of uses) for (const field of alwaysIn(lists, security.credentials)) always.set(field, (always.get(field) ?? 0) + 1);
  const names = new Set(uses.flat(2));
  const credentials = Object.fromEntries(Object.entries(security.credentials).filter(([name]) => names.has(name)));
  const used = new Set(Object.values(credentials).flat());
  const fields = security.fields.filter(({ name }) => used.has(name));
  return { ...security, credentials, fields: fields.map((field) => ({ ...field, ...(always.get(field.name) === operations.length && { required: true }) })) };
}

/** A description that declares credentials and asks for them nowhere means that any of them may be given. */
function defaultOf(document: Json, all: readonly ApiOperation[], security: Security): string[][] {
  const given = requirements(document['security'], security);
  if (given !== undefined || all.some(({ operation }) => operation['security'] !== undefined)) return given ?? [];
  const names = Object.keys(security.credentials);
  return names.length === 0 ? [] : [...names.map((name) => [name]), []];
}

function alwaysIn(lists: readonly (readonly string[])[], credentials: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const [first, ...others] = lists.map((names) => names.flatMap((name) => credentials[name] ?? []));
  return (first ?? []).filter((field) => others.every((list) => list.includes(field)));
}

/** Operations that the description puts on another server; with variables they stay where the others are. */
function otherServers(
  chosen: readonly (ApiOperation & { name: string })[],
  main: string | undefined,
  sourceUrl: string | undefined,
  warnings: Set<string>,
): Map<string, string> {
  const serverUrls = new Map<string, string>();
  for (const { name, pathItem, operation } of chosen) {
    const servers = Array.isArray(operation['servers']) && operation['servers'].length > 0 ? operation['servers'] : pathItem['servers'];
    if (!Array.isArray(servers) || servers.length === 0) continue;
    const { url, fields } = apiServer({ servers, baseUrl: undefined, sourceUrl, warnings: new Set() });
    if (url === undefined || fields.length > 0) warnings.add(`${name} has a server of its own that cannot be used; it is called at the common one`);
    else if (url !== main) serverUrls.set(name, url);
  }
  return serverUrls;
}

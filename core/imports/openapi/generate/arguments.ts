// Parameters and body of an operation as one object of arguments, each under a name of its own.
import { bareType } from '#contract/wire/media-type.ts';
import type { HttpBody, HttpEncoding, HttpParameter, ParameterPlace, ParameterStyle } from '#contract/wire/http-operation.ts';
import { isJsonObject, type Json, listOf, objectOf, textIn } from './document.ts';
import { rank, sent } from './media-types.ts';
import type { OpenApiSchema } from './model.ts';
import { argumentName } from './names.ts';
import { resolved } from './references.ts';
import { type Schemas, shortened } from './schemas.ts';

const PLACES = new Set(['path', 'query', 'header', 'cookie']);
/** A caller does not choose these. */
const OWN_HEADERS = new Set([
  'accept',
  'content-type',
  'authorization',
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'proxy-authorization',
  'svc-setup',
  'svc-setup-fields',
]);
const STYLES = new Set(['simple', 'label', 'matrix', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject']);

export interface Arguments {
  input: OpenApiSchema;
  parameters: HttpParameter[];
  body: HttpBody | undefined;
}

export interface ArgumentsInput {
  document: Json;
  path: string;
  pathItem: Json;
  operation: Json;
  schemas: Schemas;
  /** Places that hold credentials, as `header x-key`. */
  taken: ReadonlySet<string>;
}

/** One argument on its way to its name. */
interface Wanted {
  place: ParameterPlace | 'body';
  wire: string;
  schema: unknown;
  required: boolean;
  parameter?: Omit<HttpParameter, 'argument'>;
}

export function argumentsOf(input: ArgumentsInput): Arguments {
  const wanted = parametersOf(input);
  const body = bodyOf(input);
  const all = [...wanted, ...(body?.wanted ?? [])];
  const names = namesFor(all);
  const properties = Object.fromEntries(all.map(({ schema }, i) => [names[i] ?? '', schema]));
  const required = all.flatMap(({ required: needed }, i) => (needed ? [names[i] ?? ''] : []));
  const parameters = wanted.flatMap(({ parameter }, i) => {
    const argument = names[i];
    return parameter ? [{ ...parameter, ...(argument !== undefined && argument !== parameter.name && { argument }) }] : [];
  });
  const bodyNames = names.slice(wanted.length);
  return {
    input: { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false },
    parameters,
    body: body && namedBody(body, bodyNames),
  };
}

function parametersOf({ document, path, pathItem, operation, schemas, taken }: ArgumentsInput): Wanted[] {
  const parametersByKey = new Map<string, Wanted>();
  for (const value of [...listOf(pathItem['parameters']), ...listOf(operation['parameters'])]) {
    const parameter = resolved(document, value);
    const name = textIn(parameter?.['name']);
    const place = String(parameter?.['in']);
    if (!parameter || name === undefined || !isPlace(place)) continue;
    const key = `${place} ${place === 'header' ? name.toLowerCase() : name}`;
    if (taken.has(key) || (place === 'header' && (OWN_HEADERS.has(name.toLowerCase()) || !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)))) continue;
    if (place === 'path' && !path.includes(`{${name}}`)) continue;
    parametersByKey.set(key, wantedParameter(parameter, name, place, schemas));
  }
  // What the path needs and the description forgets.
  for (const [, name] of path.matchAll(/\{([^{}]+)\}/g)) {
    if (name === undefined || parametersByKey.has(`path ${name}`)) continue;
    parametersByKey.set(`path ${name}`, { place: 'path', wire: name, schema: { type: 'string' }, required: true, parameter: { name, in: 'path' } });
  }
  return [...parametersByKey.values()];
}

function isPlace(place: string): place is ParameterPlace {
  return PLACES.has(place);
}

function wantedParameter(parameter: Json, name: string, place: ParameterPlace, schemas: Schemas): Wanted {
  const [media, content] = Object.entries(objectOf(parameter['content']))[0] ?? [];
  const schema = described(schemas.clean(parameter['schema'] ?? objectOf(content)['schema'] ?? { type: 'string' }), parameter['description']);
  const style = textIn(parameter['style']);
  const own = isStyle(style) && style !== (place === 'path' || place === 'header' ? 'simple' : 'form') ? style : undefined;
  const explode =
    typeof parameter['explode'] === 'boolean' && parameter['explode'] !== ((own ?? (place === 'path' || place === 'header' ? 'simple' : 'form')) === 'form')
      ? parameter['explode']
      : undefined;
  return {
    place,
    wire: name,
    schema,
    required: place === 'path' || parameter['required'] === true,
    parameter: {
      name,
      in: place,
      ...(own !== undefined && { style: own }),
      ...(explode !== undefined && { explode }),
      ...(parameter['allowReserved'] === true && { allowReserved: true }),
      ...(media !== undefined && !media.startsWith('text/') && { json: true }),
    },
  };
}

function isStyle(style: string | undefined): style is ParameterStyle {
  return style !== undefined && STYLES.has(style);
}

/** A description beside the schema says more than one in it. */
function described(schema: unknown, description: unknown): unknown {
  const text = textIn(description);
  if (text === undefined) return schema;
  return isJsonObject(schema) ? { ...schema, description: shortened(text) } : { description: shortened(text) };
}

interface ReadBody {
  body: HttpBody;
  wanted: Wanted[];
}

/** Of several media types the one that says most: JSON, then forms, then the rest. */
function bodyOf({ document, operation, schemas }: ArgumentsInput): ReadBody | undefined {
  const given = resolved(document, operation['requestBody']);
  const content = Object.entries(objectOf(given?.['content']));
  const [type, media] = content.toSorted(([a], [b]) => rank(a) - rank(b))[0] ?? [];
  if (!given || type === undefined) return undefined;
  const required = given['required'] === true;
  const source = objectOf(media)['schema'];
  const isForm = /^(?:multipart\/|application\/x-www-form-urlencoded)/i.test(type);
  if (!isForm && rank(type) > 3) return wholeBody(type, given, required);
  const shape = plainObject(document, source);
  if (!shape && !required && isNothing(document, source)) return undefined;
  if (!shape) {
    const schema = described(schemas.clean(source ?? {}), given['description']);
    return { body: { type: sent(type) }, wanted: [{ place: 'body', wire: 'body', schema, required }] };
  }
  return members({ type, shape, required, encoding: objectOf(objectOf(media)['encoding']), schemas, document, isForm });
}

/** Text as it is, or bytes. */
function wholeBody(type: string, given: Json, required: boolean): ReadBody {
  const isText = rank(type) < 6;
  const says = `The body, as ${bareType(type)}.`;
  const schema = isText ? { type: 'string', description: says } : fileSchema(says);
  return {
    body: { type: sent(type), ...(!isText && { files: true as const }) },
    wanted: [{ place: 'body', wire: 'body', schema: described(schema, given['description']), required }],
  };
}

function fileSchema(description: string): OpenApiSchema {
  return {
    type: 'object',
    description,
    properties: {
      base64: { type: 'string', description: 'The bytes, in base64.' },
      text: { type: 'string', description: 'Instead of base64: the text.' },
      filename: { type: 'string' },
      content_type: { type: 'string' },
    },
    additionalProperties: false,
  };
}

/** An object whose members can be arguments: nothing beside them is said. */
function plainObject(document: Json, schema: unknown): Json | undefined {
  const shape = resolved(document, schema);
  if (!shape || !isJsonObject(shape['properties']) || Object.keys(shape['properties']).length === 0) return undefined;
  if (['allOf', 'anyOf', 'oneOf', 'not', 'if', 'patternProperties', 'minProperties'].some((key) => key in shape)) return undefined;
  const { type, additionalProperties: more } = shape;
  if (type !== undefined && type !== 'object' && !(Array.isArray(type) && type.includes('object'))) return undefined;
  return more === undefined || more === false ? shape : undefined;
}

/** As some descriptions say that there is no body. */
function isNothing(document: Json, schema: unknown): boolean {
  const shape = resolved(document, schema);
  return (
    shape !== undefined && isJsonObject(shape['properties']) && Object.keys(shape['properties']).length === 0 && !isJsonObject(shape['additionalProperties'])
  );
}

interface MembersInput {
  type: string;
  shape: Json;
  required: boolean;
  encoding: Json;
  schemas: Schemas;
  document: Json;
  isForm: boolean;
}

function members({ type, shape, required, encoding, schemas, document, isForm }: MembersInput): ReadBody {
  const cleaned = objectOf(schemas.clean({ type: 'object', properties: shape['properties'], required: shape['required'] }));
  const needed = new Set(listOf(cleaned['required']));
  const multipart = /^multipart\//i.test(type);
  const files: string[] = [];
  const rules: Record<string, HttpEncoding> = {};
  const wanted = Object.entries(objectOf(cleaned['properties'])).map(([wire, schema]): Wanted => {
    const source = objectOf(shape['properties'])[wire];
    const rule = isForm ? encodingOf(objectOf(encoding[wire])) : undefined;
    if (rule) rules[wire] = rule;
    const isFile = multipart && holdsBytes(document, source);
    if (isFile) files.push(wire);
    const list = isFile && isJsonObject(schema) && schema['type'] === 'array';
    const shown = isFile ? fileSchema(textIn(objectOf(schema)['description']) ?? 'A file.') : schema;
    return { place: 'body', wire, schema: list ? { type: 'array', items: shown } : shown, required: required && needed.has(wire) };
  });
  const names = wanted.map(({ wire }) => wire);
  const body: HttpBody = { type: sent(type), members: names, ...(Object.keys(rules).length > 0 && { encoding: rules }), ...(files.length > 0 && { files }) };
  return { body, wanted };
}

function holdsBytes(document: Json, schema: unknown): boolean {
  const shape = resolved(document, schema);
  const items = shape?.['type'] === 'array' ? resolved(document, shape['items']) : shape;
  if (!items) return false;
  const media = textIn(items['contentMediaType']);
  return items['format'] === 'binary' || (media !== undefined && items['contentEncoding'] === undefined && !/json|^text\//.test(media));
}

function encodingOf(encoding: Json): HttpEncoding | undefined {
  const style = textIn(encoding['style']);
  const contentType = textIn(encoding['contentType']);
  const rule = {
    ...(isStyle(style) && style !== 'form' && { style }),
    ...(typeof encoding['explode'] === 'boolean' && encoding['explode'] !== (style === undefined || style === 'form') && { explode: encoding['explode'] }),
    ...(isStyle(style) && style === 'form' && { style }),
    ...(contentType !== undefined && { contentType }),
  };
  return Object.keys(rule).length > 0 ? rule : undefined;
}

/** Flat: an argument has the name of its parameter; where two have the same, each has its place before it. */
function namesFor(wanted: readonly Wanted[]): string[] {
  const plain = wanted.map(({ wire }) => argumentName(wire));
  const count = new Map<string, number>();
  for (const name of plain) count.set(name.toLowerCase(), (count.get(name.toLowerCase()) ?? 0) + 1);
  const placed = plain.map((name, i) => ((count.get(name.toLowerCase()) ?? 0) > 1 ? `${wanted[i]?.place}_${name}`.slice(0, 64) : name));
  const seen = new Set<string>();
  return placed.map((name) => {
    let free = name;
    for (let n = 2; seen.has(free); n += 1) free = `${name.slice(0, 60)}_${n}`;
    seen.add(free);
    return free;
  });
}

function namedBody({ body, wanted }: ReadBody, names: readonly string[]): HttpBody {
  if (!body.members) {
    const [argument = 'body'] = names;
    return argument === 'body' ? body : { ...body, argument };
  }
  const renamed = Object.fromEntries(wanted.flatMap(({ wire }, i) => (names[i] === wire || names[i] === undefined ? [] : [[wire, names[i]]])));
  return Object.keys(renamed).length > 0 ? { ...body, renamed } : body;
}

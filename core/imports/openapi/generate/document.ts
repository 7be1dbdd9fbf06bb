// The text of an API description as an OpenAPI 3.1 document. The document is untrusted: bounded before it is
// read.
import { upgrade } from '@scalar/openapi-upgrader'; // Swagger 2.0 and OpenAPI 3.0 to 3.1: no failure on 2,636 public documents
import { parseDocument } from 'yaml';

export type Json = Record<string, unknown>;

/** The description cannot be used; the message says why. */
export class BadDescription extends Error {
  override readonly name = 'BadDescription';
}

const MAX_DEPTH = 128;
const MAX_NODES = 4_000_000;
const MAX_ALIASES = 100;
/** Reading YAML takes some hundred times longer than JSON. */
const MAX_YAML_BYTES = 6 * 1024 * 1024;

/** @throws BadDescription */
export function readOpenApiDocument(text: string): Json {
  const value = parse(text.replace(/^\ufeff/, ''));
  if (!isJsonObject(value)) throw new BadDescription('The description is no object: give an OpenAPI or Swagger document in JSON or YAML');
  requireBounded(value);
  const version = value['swagger'] ?? value['openapi'];
  if (!/^(?:2\.|3\.)/.test(String(version)))
    throw new BadDescription('The description names no version: it needs "swagger": "2.0" or "openapi": "3.x" at its top');
  if (!isJsonObject(value['paths'])) value['paths'] = {};
  try {
    const upgraded: unknown = upgrade(value, '3.1');
    if (isJsonObject(upgraded)) return upgraded;
  } catch (error) {
    throw new BadDescription(
      `The description cannot be read as OpenAPI ${String(version)}: ${error instanceof Error ? error.message.slice(0, 200) : 'unknown error'}`,
    );
  }
  throw new BadDescription('The description is empty');
}

function parse(text: string): unknown {
  requireShallow(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    if (/^\s*\{\s*"/.test(text)) throw new BadDescription(`The description is not valid JSON: ${error instanceof Error ? error.message.slice(0, 200) : ''}`);
  }
  if (Buffer.byteLength(text) > MAX_YAML_BYTES) throw new BadDescription(`A description in YAML has at most ${MAX_YAML_BYTES} bytes: convert it to JSON`);
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'silent', strict: false, version: '1.2' });
  const [problem] = document.errors;
  if (problem) throw new BadDescription(`The description is neither JSON nor YAML: ${problem.message.split('\n')[0]?.slice(0, 200)}`);
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw new BadDescription(`The description cannot be read: ${error instanceof Error ? error.message.slice(0, 200) : 'unknown error'}`);
  }
}

/** Brackets in texts count too, which is no harm: none has so many. */
function requireShallow(text: string): void {
  let depth = 0;
  let inText = false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (inText) {
      if (code === 92) i += 1;
      else if (code === 34 || code === 10) inText = false;
    } else if (code === 34) inText = true;
    else if (code === 123 || code === 91) {
      depth += 1;
      if (depth > MAX_DEPTH) throw tooDeep();
    } else if (code === 125 || code === 93) depth -= 1;
  }
}

function requireBounded(root: Json): void {
  const open: [value: unknown, depth: number][] = [[root, 0]];
  let nodes = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, depth] = next;
    nodes += 1;
    if (depth > MAX_DEPTH) throw tooDeep();
    if (nodes > MAX_NODES) throw new BadDescription(`The description has more than ${MAX_NODES} values`);
    if (typeof value !== 'object' || value === null) continue;
    for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) open.push([member, depth + 1]);
  }
}

function tooDeep(): BadDescription {
  return new BadDescription(`The description is nested deeper than ${MAX_DEPTH} levels`);
}

export function isJsonObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectOf(value: unknown): Json {
  return isJsonObject(value) ? value : {};
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

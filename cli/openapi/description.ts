// The API description that a command means: an address, a file, or standard input; with the options that both
// commands have.
import { readFile, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { AgentOpenAPIGenerateIn } from '#contract/imports/from-openapi.ts';
import { isPublicAddress } from '#contract/wire/internet.ts';
import { isIP } from 'node:net';
import { CliError, UsageError } from '../lib/errors.ts';

/** Small, and with every kind of parameter. */
const SAMPLE_URL = 'https://petstore3.swagger.io/api/v3/openapi.json';
const MAX_BYTES = 16 * 1024 * 1024;
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'] as const;

export type Wish = z.input<typeof AgentOpenAPIGenerateIn>;

export interface DescriptionOptions {
  source: string | undefined;
  name: string | undefined;
  description: string | undefined;
  baseUrl: string | undefined;
  isPublic: boolean | undefined;
  tags: readonly string[];
  methods: readonly string[];
  match: string | undefined;
  operations: readonly string[];
  pins: readonly string[];
  mode: string | undefined;
  auth: string | undefined;
}

/** @throws UsageError, CliError */
export async function wishOf(options: DescriptionOptions, stdin: Readable): Promise<Wish> {
  const { name, description, baseUrl, isPublic, tags, match, operations, pins, auth } = options;
  const methods = options.methods.map((word) => methodOf('--method', word));
  const mode = modeOf(options.mode);
  const narrowed = tags.length > 0 || methods.length > 0 || match !== undefined || operations.length > 0;
  return {
    ...(await sourceOf(options.source ?? SAMPLE_URL, stdin)),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(baseUrl !== undefined && { base_url: baseUrl }),
    ...(isPublic !== undefined && { public: isPublic }),
    ...(narrowed && { include: { tags: [...tags], methods, names: [...operations], ...(match !== undefined && { match }) } }),
    ...(pins.length > 0 && { pins: pinsOf(pins) }),
    ...(mode !== undefined && { mode }),
    ...(auth !== undefined && { auth }),
  };
}

/** `tag:pets`, `method:GET`, `match:^GET /pets`, or the name of an operation. */
function pinsOf(pins: readonly string[]): NonNullable<Wish['pins']> {
  const of = (kind: string): string[] => pins.flatMap((pin) => (pin.startsWith(`${kind}:`) ? [pin.slice(kind.length + 1)] : []));
  const matches = of('match');
  return {
    tags: of('tag'),
    methods: of('method').map((word) => methodOf('--pin method:', word)),
    names: pins.filter((pin) => !/^(?:tag|method|match):/.test(pin)),
    ...(matches.length > 0 && { match: matches.map((one) => `(?:${one})`).join('|') }),
  };
}

function methodOf(option: string, word: string): (typeof METHODS)[number] {
  const knownMethod = METHODS.find((method) => method === word.toUpperCase());
  if (!knownMethod) throw new UsageError(`${option} must be one of ${METHODS.join(', ')}, not "${word}".`);
  return knownMethod;
}

function modeOf(mode: string | undefined): Wish['mode'] {
  if (mode === undefined || mode === 'auto' || mode === 'each' || mode === 'search') return mode;
  throw new UsageError(`--mode must be one of auto, each, search, not "${mode}".`);
}

/**
 * The platform fetches what is on the internet; what only this machine reaches is read here and sent along.
 */
async function sourceOf(source: string, stdin: Readable): Promise<Pick<Wish, 'url' | 'document'>> {
  if (source === '-') return { document: bounded('standard input', await text(stdin)) };
  if (/^https?:\/\//i.test(source)) {
    if (!URL.canParse(source)) throw new UsageError(`${source} is not an address.`);
    return isHere(new URL(source).hostname) ? { url: source, document: await fetched(source) } : { url: source };
  }
  const size = await stat(source).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === undefined) throw new UsageError(`There is no file ${source}. Give a file, an address that starts with https://, or - for standard input.`);
  if (size > MAX_BYTES) throw tooLong(source);
  return { document: bounded(source, await readFile(source, 'utf8')) };
}

function isHere(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name.endsWith('.localhost') || !name.includes('.') || (isIP(name) > 0 && !isPublicAddress(name));
}

async function fetched(url: string): Promise<string> {
  const answer = await fetch(url, { headers: { accept: 'application/json, */*;q=0.5' }, signal: AbortSignal.timeout(20_000) }).catch((error: unknown) => {
    throw new CliError(`${url} was not reached. Is it up?`, undefined, { cause: error });
  });
  if (!answer.ok) throw new CliError(`${url} answered ${answer.status}. Give the address of an API description.`);
  return bounded(url, await answer.text());
}

function bounded(what: string, document: string): string {
  if (Buffer.byteLength(document) > MAX_BYTES) throw tooLong(what);
  if (document.trim() === '') throw new UsageError(`${what} is empty. Give an API description in JSON or YAML.`);
  return document;
}

const tooLong = (what: string): CliError => new CliError(`${what} is longer than 16 MiB. Leave out what the agent does not need of it.`);

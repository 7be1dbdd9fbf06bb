// Values that callers set and that never enter an agent's machine: where the egress proxy writes them into a
// request.
import { z } from 'zod';

/** Hop-by-hop, and what frames or addresses a request. */
const FORBIDDEN = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'keep-alive',
  'expect',
  'proxy-authorization',
]);

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'must be the name of a header')
  .refine((name) => !FORBIDDEN.has(name.toLowerCase()), 'this header belongs to the connection');
/** `{region}` stands for the caller's own value of the field `region`, one label. */
const host = z
  .string()
  .max(253)
  .regex(
    /^(?:[a-z0-9_-]|\{[A-Za-z][A-Za-z0-9_]{0,63}\})+(?:\.(?:[a-z0-9_-]|\{[A-Za-z][A-Za-z0-9_]{0,63}\})+)*$/,
    'must be a host name in lower case, without scheme and port',
  );
const tokenUrl = z
  .string()
  .max(2_000)
  .regex(/^https:\/\/[^\s/?#@]+(?:[/?][^\s#]*)?$/, 'must begin with https://');

/** Where a value goes. Two values that make one credential have the same `with`. */
export const SetupInjection = z
  .discriminatedUnion('as', [
    z.object({
      as: z.literal('header'),
      name: headerName,
      scheme: z
        .string()
        .regex(/^[A-Za-z][\w-]{0,31}$/)
        .optional(),
    }),
    z.object({ as: z.literal('query'), name: z.string().min(1).max(128) }),
    z.object({ as: z.literal('cookie'), name: z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/) }),
    z.object({ as: z.enum(['basic_username', 'basic_password']) }),
    z.object({ as: z.enum(['oauth2_client_id', 'oauth2_client_secret']), token_url: tokenUrl, scope: z.string().max(2_000).optional() }),
    z.object({ as: z.enum(['tls_certificate', 'tls_key']) }),
  ])
  .and(z.object({ hosts: z.array(host).min(1).max(16).meta({ description: 'The hosts that get the value, and no other.' }) }))
  .meta({
    id: 'SetupInjection',
    description: "The value never enters the agent's machine: the egress proxy adds it to requests to exactly these hosts, over TLS.",
  });
export type SetupInjection = z.infer<typeof SetupInjection>;

/** A field's value with where it goes, hosts filled in. */
export interface Credential {
  field: string;
  inject: SetupInjection;
  value: string;
}

/** With a request of the agent: the sealed values, and which fields to write. */
export const SETUP_HEADER = 'svc-setup';
export const FIELDS_HEADER = 'svc-setup-fields';

export interface Written {
  /** Path and query. */
  target: string;
  headers: Record<string, string>;
  tls?: { cert: string; key: string };
  /** A token is to be fetched with these and sent as bearer. */
  oauth2?: { token_url: string; scope: string | undefined; client_id: string; client_secret: string };
}

/** The request with its credentials. What it says itself in these places is dropped. */
export function writeCredentials(target: string, headers: Readonly<Record<string, string>>, credentials: readonly Credential[]): Written {
  const written: Written = { target, headers: { ...headers } };
  const part = (as: string): Credential | undefined => credentials.find(({ inject }) => inject.as === as);
  const put = (name: string, value: string): void => {
    for (const own of Object.keys(written.headers)) if (own.toLowerCase() === name.toLowerCase()) delete written.headers[own];
    written.headers[name.toLowerCase()] = value;
  };
  for (const { inject, value } of credentials) {
    if (inject.as === 'header') put(inject.name, inject.scheme === undefined ? value : `${inject.scheme} ${value}`);
    if (inject.as === 'query') written.target = withQuery(written.target, inject.name, value);
    if (inject.as === 'cookie') put('cookie', withCookie(written.headers['cookie'], inject.name, value));
  }
  const [user, password] = [part('basic_username'), part('basic_password')];
  if (user || password) put('authorization', `Basic ${base64(`${user?.value ?? ''}:${password?.value ?? ''}`)}`);
  const [cert, key] = [part('tls_certificate'), part('tls_key')];
  if (cert && key) written.tls = { cert: cert.value, key: key.value };
  const [id, secret] = [part('oauth2_client_id'), part('oauth2_client_secret')];
  if (id?.inject.as === 'oauth2_client_id' && secret)
    written.oauth2 = { token_url: id.inject.token_url, scope: id.inject.scope, client_id: id.value, client_secret: secret.value };
  return written;
}

/**
 * `{field}` in host names by the caller's values; undefined where one is missing or is no label of a name.
 */
export function fillHost(template: string, values: Readonly<Record<string, unknown>>): string | undefined {
  let fits = true;
  const filled = template.replaceAll(/\{([^}]+)\}/g, (_whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (typeof value === 'string' && /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(value)) return value.toLowerCase();
    fits = false;
    return '';
  });
  return fits ? filled : undefined;
}

function withQuery(target: string, name: string, value: string): string {
  const [path, query] = splitOnce(target, '?');
  const otherPairs = query.split('&').filter((pair) => pair !== '' && decoded(pair.split('=')[0] ?? '') !== name);
  return `${path}?${[...otherPairs, `${encodeURIComponent(name)}=${encodeURIComponent(value)}`].join('&')}`;
}

function withCookie(before: string | undefined, name: string, value: string): string {
  const otherCookies = (before ?? '')
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '' && one.split('=')[0] !== name);
  return [...otherCookies, `${name}=${encodeURIComponent(value)}`].join('; ');
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}

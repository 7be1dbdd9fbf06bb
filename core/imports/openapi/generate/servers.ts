// Where the API is: the server that the caller chose, or the first that the description names. Its host is
// fixed; variables are the callers' to set.
import { isJsonObject, type Json, listOf, objectOf, textIn } from './document.ts';
import type { Field, Server } from './model.ts';
import { fieldName } from './security.ts';

const MAX_HOSTS = 16;

export interface ServerInput {
  servers: unknown;
  baseUrl: string | undefined;
  sourceUrl: string | undefined;
  warnings: Set<string>;
}

const NOWHERE: Server = { url: undefined, fields: [], variables: {}, allowHosts: [], injectHosts: [] };

export function apiServer({ servers, baseUrl, sourceUrl, warnings }: ServerInput): Server {
  if (baseUrl !== undefined) return plainServer(baseUrl, warnings);
  const [first] = listOf(servers).filter(isJsonObject);
  const text = textIn(first?.['url']) ?? '/';
  const { url, fields, variables } = withVariables(text, objectOf(first?.['variables']));
  const whole = absolute(url, sourceUrl);
  if (whole === undefined) {
    warnings.add(`The description names no server that can be used (${text.slice(0, 120)}): give its address with base_url`);
    return NOWHERE;
  }
  if (fields.length === 0) return plainServer(whole, warnings);
  const host = hostIn(whole);
  const named = fields.filter(({ name }) => whole.includes(`{${name}}`));
  const choices = Object.fromEntries(Object.entries(variables).filter(([name]) => named.some((field) => field.name === name)));
  return { url: whole.replace(/\/+$/, ''), fields: named, variables: choices, allowHosts: hostsOf(host, choices), injectHosts: [host] };
}

function plainServer(address: string, warnings: Set<string>): Server {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    warnings.add(`${address.slice(0, 120)} is no address that can be called: give one that begins with https:// as base_url`);
    return NOWHERE;
  }
  if (url.protocol === 'http:')
    warnings.add(`${url.host} is called without TLS: credentials are only sent over https, so give an https address as base_url if it has one`);
  if (url.port !== '') warnings.add(`${url.host} is not at a port of the web (443, 80), which agents on the platform cannot reach`);
  const host = url.hostname.toLowerCase();
  return { ...NOWHERE, url: `${url.origin}${url.pathname}`.replace(/\/+$/, ''), allowHosts: [host], injectHosts: /^[a-z0-9._-]+$/.test(host) ? [host] : [] };
}

interface Filled {
  url: string;
  fields: Field[];
  variables: Record<string, string[]>;
}

/**
 * A variable that may be the whole host, a scheme or a port is not for callers to set: its default takes its
 * place.
 */
function withVariables(text: string, declared: Json): Filled {
  const fields = new Map<string, Field>();
  const variables: Record<string, string[]> = {};
  const [, host = ''] = /^(?:[^/]*:)?\/\/([^/?#]*)/.exec(text) ?? [];
  const url = text.replaceAll(/\{([^{}]+)\}/g, (whole, name: string, position: number) => {
    const variable = objectOf(declared[name]);
    const values = listOf(variable['enum']).filter((one): one is string => typeof one === 'string' && /^[\w.~-]{1,100}$/.test(one));
    const fallback = textIn(variable['default']) ?? values[0];
    if (!mayBeSet(text, host, whole, position, values)) return fallback ?? whole;
    const id = fieldName(name);
    const description = [textIn(variable['description'])?.slice(0, 400), values.length > 0 && `One of ${values.join(', ').slice(0, 800)}.`]
      .filter(Boolean)
      .join(' ');
    const fits = fallback !== undefined && /^[\w.~-]{1,100}$/.test(fallback);
    fields.set(id, { name: id, title: `Server: ${name}`.slice(0, 200), description, ...(fits ? { default: fallback } : { required: true }) });
    if (values.length > 0) variables[id] = values;
    return `{${id}}`;
  });
  return { url, fields: [...fields.values()], variables };
}

/**
 * In the path; or as a label of the host, before a fixed domain of two labels at least; or as one of a few
 * hosts.
 */
function mayBeSet(text: string, host: string, whole: string, position: number, values: readonly string[]): boolean {
  const start = text.indexOf('//');
  if (start === -1 || position < start + 2) return !text.startsWith(whole) && start === -1;
  if (position >= start + 2 + host.length) return true;
  const after = host.slice(host.indexOf(whole) + whole.length);
  if (after.startsWith(':') || host.slice(0, host.indexOf(whole)).includes(':')) return false;
  const fixed = /^[A-Za-z0-9-]*((?:\.[A-Za-z0-9-]+)+)(?::\d+)?$/.exec(after)?.[1] ?? '';
  return fixed.split('.').length > 2 || (values.length > 0 && values.length <= MAX_HOSTS && after.includes('.'));
}

function absolute(url: string, sourceUrl: string | undefined): string | undefined {
  const text = url.startsWith('//') ? `https:${url}` : url;
  if (/^https?:\/\//i.test(text)) return URL.canParse(text.replaceAll(/[{}]/g, 'x')) ? text : undefined;
  if (sourceUrl === undefined || !URL.canParse(sourceUrl)) return undefined;
  const { origin, pathname } = new URL(sourceUrl);
  if (text.startsWith('/')) return origin + text;
  return URL.canParse(text, origin + pathname) && !/^[a-z][\w+.-]*:/i.test(text)
    ? `${origin}${pathname.slice(0, pathname.lastIndexOf('/') + 1)}${text.replace(/^\.\//, '')}`
    : undefined;
}

function hostIn(url: string): string {
  return (/^https?:\/\/([^/?#:]*)/i.exec(url)?.[1] ?? '').replaceAll(/[^{}]+(?![^{]*\})/g, (text) => text.toLowerCase());
}

/** Every host there can be where they can be counted, else all below the fixed domain. */
function hostsOf(host: string, variables: Readonly<Record<string, readonly string[]>>): string[] {
  const names = [...host.matchAll(/\{([^}]+)\}/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));
  if (names.length === 0) return [host];
  const count = names.reduce((product, name) => product * (variables[name]?.length ?? Number.POSITIVE_INFINITY), 1);
  if (count <= MAX_HOSTS)
    return names.reduce<string[]>(
      (hosts, name) => hosts.flatMap((one) => (variables[name] ?? []).map((value) => one.replaceAll(`{${name}}`, value.toLowerCase()))),
      [host],
    );
  return [`*${host.slice(host.lastIndexOf('}') + 1).replace(/^[^.]*/, '')}`];
}

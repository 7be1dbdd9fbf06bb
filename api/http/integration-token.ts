// The token of an agent in the query of an address. At an agent's address it is taken out before anything
// reads the request; answers are not kept.
import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { INTEGRATION_TOKEN } from '#contract/identity/integration-links.ts';

/** Of every answer to a request with such a token, whatever the agent says. */
export const PRIVATE_HEADERS = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' } as const;

/** Shorter ones are none of ours, and may stand in any header. */
const SHORTEST = 20;

interface Taken {
  address: string;
  tokens: string[];
}

/**
 * The first token of the request's query. Target and headers lose all of them: what is passed on, logged or
 * shown from here on has none.
 */
export function takeIntegrationToken(request: IncomingMessage): string | undefined {
  const { address, tokens } = withoutTokens(request.url ?? '/');
  if (tokens.length > 0) request.url = address;
  const { headers, rawHeaders: raw } = request;
  if (headers.referer !== undefined) headers.referer = withoutTokens(headers.referer).address;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const value = raw[i + 1] ?? '';
    const name = raw[i]?.toLowerCase() ?? '';
    if (name === 'referer') raw[i + 1] = withoutTokens(value).address;
    // A proxy before us may repeat the address in a header of its own.
    else if (name !== 'authorization' && tokens.some((token) => token.length >= SHORTEST && value.includes(token))) {
      raw[i + 1] = '';
      headers[name] = '';
    }
  }
  return tokens[0];
}

export function hasIntegrationToken(url: string | undefined): boolean {
  return url !== undefined && withoutTokens(url).tokens.length > 0;
}

/** Agents read `;` between parameters too, and names in any case: no spelling of it passes. */
function withoutTokens(address: string): Taken {
  const at = address.indexOf('?');
  if (at === -1) return { address, tokens: [] };
  const tokens: string[] = [];
  const query = address.slice(at + 1);
  const hash = query.indexOf('#');
  const otherParts = (hash === -1 ? query : query.slice(0, hash)).split(/(?=[&;])/).filter((part) => {
    const pair = part.replace(/^[&;]/, '');
    const equals = pair.indexOf('=');
    if (decoded(equals === -1 ? pair : pair.slice(0, equals)).toLowerCase() !== INTEGRATION_TOKEN) return true;
    tokens.push(equals === -1 ? '' : decoded(pair.slice(equals + 1)));
    return false;
  });
  if (tokens.length === 0) return { address, tokens };
  const rest = otherParts.join('').replace(/^[&;]/, '');
  return { address: address.slice(0, at) + (rest === '' ? '' : `?${rest}`) + (hash === -1 ? '' : query.slice(hash)), tokens };
}

function decoded(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** However it is answered: every way ends in writeHead. */
export function answerInPrivate(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (status: number, ...rest: unknown[]) => ServerResponse;
  response.writeHead = (status: number, ...rest: unknown[]): ServerResponse => {
    for (const [name, value] of Object.entries(PRIVATE_HEADERS)) response.setHeader(name, value);
    const given = rest.at(-1);
    return writeHead(status, ...(typeof given === 'object' && given !== null ? [...rest.slice(0, -1), withoutOurs(given)] : rest));
  };
}

function withoutOurs(given: object): Record<string, OutgoingHttpHeader> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !(name.toLowerCase() in PRIVATE_HEADERS)));
}

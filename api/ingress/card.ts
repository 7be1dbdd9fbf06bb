// Agents' cards at their own addresses, by the platform: signed, read from the live deployment, so that no agent wakes for it and none speaks for another.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CARD_KEYS_PATH, CARD_PATHS } from '../../contract/wire/a2a-card.ts';
import { cacheable } from '../../contract/wire/cacheable.ts';
import { publishedCardKeys } from '../../core/agents/card/keys.ts';
import { signedCard } from '../../core/agents/card/signed.ts';
import type { Ctx } from '../../core/ctx.ts';
import type { IngressRoute } from './route.ts';

/** Cards kept, signed; each is some kilobytes. */
const MOST = 500;

export interface Cards {
  /** The document at this path; undefined: the agent's own to answer. */
  at(request: Pick<IncomingMessage, 'method' | 'headers'>, path: string, route: IngressRoute): Promise<string> | undefined;
}

export function createCards(ctx: Pick<Ctx, 'drivers' | 'clock'>, { https }: { https: boolean }): Cards {
  const kept = new Map<string, Promise<string>>();

  function make({ card, visibility }: IngressRoute, host: string, legacy: boolean): Promise<string> | undefined {
    if (!card) return undefined;
    const baseUrl = `${https ? 'https' : 'http'}://${host}`;
    const grpc = /:\d+$/.test(host) ? host : `${host}:${https ? 443 : 80}`;
    const bearer = visibility !== 'public' || card.skills.some(({ scopes }) => scopes.length > 0);
    return signedCard(ctx, card, { baseUrl, grpc, bearer, legacy }).then((signed) => JSON.stringify(signed));
  }

  return {
    at({ method, headers }, path, route) {
      const keysAlone = path === CARD_KEYS_PATH;
      if ((method !== 'GET' && method !== 'HEAD') || !(keysAlone || CARD_PATHS.includes(path))) return undefined;
      const keys = publishedCardKeys(ctx.drivers.vault, ctx.clock());
      if (keysAlone) return Promise.resolve(JSON.stringify(keys));
      const host = headers.host ?? '';
      const version = headers['a2a-version'];
      const legacy = typeof version !== 'string' || version === '' || version.startsWith('0.');
      const key = [route.deployId, route.visibility, host, legacy, keys.keys[0]?.kid].join(' ');
      const known = kept.get(key) ?? make(route, host, legacy);
      const [oldest] = kept.keys();
      if (known && !kept.has(key) && kept.size >= MOST && oldest !== undefined) kept.delete(oldest);
      if (known) kept.set(key, known);
      return known;
    },
  };
}

export function sendCard(request: IncomingMessage, response: ServerResponse, body: string): void {
  const { status, headers } = cacheable(request.headers['if-none-match'], body);
  const whole = status === 200;
  response.writeHead(status, {
    ...headers,
    vary: 'a2a-version',
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    ...(whole && { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) }),
  });
  response.end(whole && request.method !== 'HEAD' ? body : undefined);
}

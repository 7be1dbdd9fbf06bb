// Agents' cards at their own addresses, by the platform: signed, read from the live deployment, so that no
// agent wakes for it and none speaks for another.
import { CARD_KEYS_PATH, CARD_PATHS } from '#contract/wire/a2a-card.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { cacheable } from '#contract/crypto/cacheable.ts';
import type { AgentCard } from '#contract/wire/card.ts';
import { publishedCardKeys } from '#core/agents/card/keys.ts';
import { signedCard } from '#core/agents/card/signed.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import type { IngressRoute } from './route-cache.ts';
import type { HttpVisit, Outcome, Ready, Step } from './step.ts';

/** Cards kept, signed; each is some kilobytes. */
const MOST = 500;

/**
 * `listGrpc`: name gRPC among the interfaces. Its address is `host:port`, as gRPC clients open it; some
 * clients refuse a card with an address that is no URL.
 */
export function createCards(ctx: Pick<Ctx, 'drivers' | 'clock'>, { listGrpc }: { listGrpc: boolean }): Step<HttpVisit & Ready> {
  const cardCache = new Map<string, Promise<string>>();

  async function make({ visibility, ownerId }: IngressRoute, card: AgentCard, legacy: boolean, baseUrl: string): Promise<string> {
    const { host, port, protocol } = new URL(baseUrl);
    const grpc = port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host;
    const bearer = visibility !== 'public' || card.skills.some(({ scopes }) => scopes.length > 0);
    return JSON.stringify(await signedCard(ctx, ownerId, card, { baseUrl, ...(listGrpc && { grpc }), bearer, legacy }));
  }

  async function cardOf(route: IngressRoute, card: AgentCard, legacy: boolean, origin: string): Promise<string> {
    const [current] = (await publishedCardKeys(ctx.drivers.vault, ctx.clock())).keys;
    const key = [route.deployId, route.visibility, legacy, origin, current?.kid].join(' ');
    const known = cardCache.get(key);
    if (known) return known;
    const made = make(route, card, legacy, origin);
    const [oldest] = cardCache.keys();
    if (cardCache.size >= MOST && oldest !== undefined) cardCache.delete(oldest);
    cardCache.set(key, made);
    // After a failure the next request tries again.
    made.catch(() => cardCache.delete(key));
    return made;
  }

  /** Undefined: the agent's own to answer. A card repeats the origin: we know that it is the agent's. */
  function documentAt({ request: { method, headers }, path, route, site }: HttpVisit & Ready): Promise<string> | undefined {
    const keysAlone = path === CARD_KEYS_PATH;
    if ((method !== 'GET' && method !== 'HEAD') || !(keysAlone || CARD_PATHS.includes(path))) return undefined;
    if (keysAlone) return publishedCardKeys(ctx.drivers.vault, ctx.clock()).then((keys) => JSON.stringify(keys));
    const version = headers['a2a-version'];
    const legacy = typeof version !== 'string' || version === '' || version.startsWith('0.');
    return route.card && cardOf(route, route.card, legacy, site.origin);
  }

  return (visit) => documentAt(visit)?.then((card) => send(visit, card));
}

function send({ request, response, requestId }: HttpVisit, body: string): Outcome {
  response.setHeader(HEADER.requestId, requestId);
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
  return 'ok';
}

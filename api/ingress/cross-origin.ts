// Web pages of other origins at an agent's protocols (CORS, https://fetch.spec.whatwg.org). The decision:
//
// 1. A page calls without what a browser adds on its own: credentials are never allowed, and the cookie of a
//    visitor beside a foreign origin is refused (admit.ts). A page that needs a caller sends a bearer token,
//    as every program does.
// 2. Which origins may is the owner's list. Without one, every public origin may call a public agent at a
//    public address, and no page an unlisted one. A name that no agent has is answered as an unlisted agent.
// 3. Pages of this machine or of a private network, and agents at such an address, need the list: any page
//    that a person visits could otherwise reach what only their network reaches. The list decides by the
//    whole origin.
// 4. `Origin: null`, several origins, and what is no origin are refused.
// 5. What may not is refused before the agent is reached: the browser's own refusal would come after the
//    call.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isProtocolPath } from '#contract/wire/agent-path.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { isPublicHost, isPublicOrigin } from '#contract/wire/origins.ts';
import { hostName } from '#contract/wire/host-owner.ts';
import { Forbidden } from '#core/kernel/errors.ts';
import type { IngressRoute } from './route-cache.ts';
import { isBox } from './host.ts';
import type { HttpVisit, Routed, Step } from './step.ts';

type Headers = Record<string, string | string[]>;

const METHODS = 'GET, HEAD, POST, DELETE';
/** Some programs' pages read these; the wildcard of Fetch names all of an answer without credentials. */
const EXPOSED = '*';
/**
 * Kept short: it is how long a browser does not ask again after the list has changed. The call itself is
 * judged each time.
 */
const PREFLIGHT_SECONDS = '600';

/** A page of another origin asks: only whether it may call, and is answered, or it calls. */
export const crossOrigin: Step<HttpVisit & Routed, { foreign: boolean }> = ({ request, response, requestId, site, route, path }) => {
  const origin = isBox(site) ? undefined : foreignOrigin(request, path);
  if (origin === undefined) return { foreign: false };
  response.setHeader('vary', 'origin');
  requireAllowed(origin, request.headers.host, route);
  // The page may read what is answered from here on, refusals too.
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', EXPOSED);
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return { foreign: true };
  // No agent is woken for a preflight. Only for an origin that is listed may a page of the internet reach a
  // private network (Private Network Access).
  const toPrivate = route?.allowedOrigins !== undefined && request.headers['access-control-request-private-network'] === 'true';
  response.writeHead(204, {
    'access-control-allow-methods': METHODS,
    // The wildcard does not name Authorization.
    'access-control-allow-headers': '*, authorization',
    'access-control-max-age': PREFLIGHT_SECONDS,
    ...(toPrivate && { 'access-control-allow-private-network': 'true' }),
    [HEADER.requestId]: requestId,
  });
  response.end();
  return 'ok';
};

/**
 * The origin of the page that calls, when it is another one's than the agent's; undefined also for programs,
 * and where no protocol is spoken.
 */
function foreignOrigin({ headers }: Pick<IncomingMessage, 'headers'>, path: string): string | undefined {
  const { origin } = headers;
  if (origin === undefined || !isProtocolPath(path)) return undefined;
  return URL.parse(origin)?.host === headers.host?.toLowerCase() ? undefined : origin;
}

/** @throws Forbidden origin_not_allowed */
function requireAllowed(origin: string, host: string | undefined, route: Pick<IngressRoute, 'allowedOrigins' | 'visibility'> | undefined): void {
  const allowed =
    route?.allowedOrigins?.includes(origin) ?? (route?.visibility === 'public' && isPublicOrigin(origin) && isPublicHost(hostName(host ?? '') ?? ''));
  if (allowed) return;
  const remedy = 'its owner can list the origin: svc origins set';
  throw new Forbidden('origin_not_allowed', `Pages of ${origin.slice(0, 100)} may not call this agent; ${remedy}`);
}

/** What an agent answers beside what the step says: its own words on origins do not count there. */
export function besideCross(response: ServerResponse, answered: Headers): Headers {
  if (!response.hasHeader('access-control-allow-origin')) return answered;
  const rest = Object.entries(answered).filter(([name]) => !name.startsWith('access-control-'));
  const vary = [answered.vary ?? [], 'origin'].flat().join(', ');
  return { ...Object.fromEntries(rest), vary };
}

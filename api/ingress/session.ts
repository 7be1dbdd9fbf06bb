// /.svc/session on an agent's own origin: served by the platform, never by the agent. A browser comes with a
// one-time code from the dashboard's origin, and leaves with a cookie that tells only this agent who the
// person is.
//
//   GET  /.svc/session/start?next=/app/   → the dashboard's authorize, tied to this browser by a cookie
//   GET  /.svc/session?code=…&next=…      → tied: signed in. Not tied (another person’s link): asks first
//   POST /.svc/session                    → the person said yes
//   POST /.svc/session/end                → signed out of this agent (GET asks first)
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pathTo } from '#contract/path-to.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { DomainError, Forbidden } from '#core/kernel/errors.ts';
import { confirmAgentSessionPage, continuePage, endAgentSessionPage, messagePage, pageHeaders } from '#drivers/idp/pages.ts';
import { inAscii } from '../http/location.ts';
import { cookiesOf } from '../http/request.ts';
import { formOf } from '../http/small-form.ts';
import type { AgentSessions } from './agent-sessions.ts';
import type { SiteAt } from './host.ts';
import { fromOwnPage } from './own-page.ts';
import type { IngressRoute, Table } from './route-cache.ts';
import { isSessionPath, localPath, nextFor, PREFIX, readNext, startPath, stateOf } from './session-path.ts';
import type { HttpVisit, AtSite, Outcome, Step } from './step.ts';

/**
 * As the browser keeps it: `__Host-`, or a page of one agent could plant it for another. Only the ingress
 * gives the agent the value, as the cookie `svc_session`.
 */
export const AGENT_SESSION_COOKIE = '__Host-svc_agent';
/** Ties a sign-in to the browser that began it. */
const HANDOFF_COOKIE = '__Host-svc_handoff';
const HANDOFF_SECONDS = 600;
const OVER = messagePage('This link is over', 'It was used, or it has expired. Open the page again to sign in.');

export interface SessionFace {
  sessions: Pick<AgentSessions, 'exchange' | 'peek' | 'end'>;
  /** Origin of dashboard and API. */
  baseUrl: string;
  clock: () => number;
  /** The custom domain of this name; undefined: there is none. */
  siteAt: SiteAt;
}

/** No id: no agent serves under that name. It answers as for one that the person may not see. */
type SessionVisit = Pick<HttpVisit & AtSite, 'request' | 'response' | 'site'> & { agent: { id: string | undefined; name: string } };

export function createSession(face: SessionFace | undefined, routes: Table<IngressRoute>): Step<HttpVisit & AtSite> {
  async function answer(face: SessionFace, visit: HttpVisit & AtSite): Promise<Outcome> {
    visit.response.setHeader(HEADER.requestId, visit.requestId);
    const name = visit.site.agentName;
    await serveSession(face, { ...visit, agent: { id: (await routes.get(name))?.agentId, name } });
    return 'ok';
  }

  return (visit) => (face && isSessionPath(visit.path) ? answer(face, visit) : undefined);
}

/** @throws DomainError while nothing has been sent */
export async function serveSession(face: SessionFace, visit: SessionVisit): Promise<void> {
  const { request, response } = visit;
  const url = new URL(request.url ?? '/', 'http://agent');
  const step = `${request.method === 'HEAD' ? 'GET' : request.method} ${url.pathname}`;
  switch (step) {
    case `GET ${PREFIX}/start`:
      return begin(face, visit, localPath(url.searchParams.get('next')));
    case `GET ${PREFIX}`:
      return arrive(face, visit, url.searchParams);
    case `POST ${PREFIX}`:
      mustBeOwnPage(request);
      return enter(face, visit, (await formOf(request)).get('code') ?? '');
    case `GET ${PREFIX}/end`:
      return page(response, 200, endAgentSessionPage({ action: `${PREFIX}/end`, agent: visit.agent.name }));
    case `POST ${PREFIX}/end`:
      mustBeOwnPage(request);
      return leave(face, visit);
    default:
      return page(response, 404, messagePage('Nothing here', `Sign in to this agent at ${PREFIX}/start.`));
  }
}

function begin({ baseUrl }: SessionFace, { response, agent, site }: SessionVisit, next: string): void {
  // Browsers keep the session's cookie of a custom domain only over https.
  if (site.host !== undefined && !site.origin.startsWith('https:')) {
    if (site.secureOrigin !== undefined) return redirect(response, site.secureOrigin + startPath(next));
    const message = `Signing in at ${site.host} needs https, which is not set up yet. Use the agent's own address instead.`;
    return page(response, 403, messagePage('Not here', message));
  }
  const nonce = randomBytes(24).toString('base64url');
  const target = new URL(pathTo('GET /v1/auth/agent-session/authorize'), baseUrl);
  target.search = new URLSearchParams({ agent: agent.name, next: nextFor(nonce, next, site.host) }).toString();
  setCookie(response, HANDOFF_COOKIE, nonce, HANDOFF_SECONDS);
  redirect(response, target.href);
}

async function arrive(face: SessionFace, visit: SessionVisit, query: URLSearchParams): Promise<void> {
  const code = query.get('code') ?? '';
  const { state, at } = readNext(query.get('next') ?? '');
  if (at !== undefined && at !== visit.site.host) return handOn(face, visit, at, query);
  const nonce = cookiesOf(visit.request.headers.cookie)[HANDOFF_COOKIE];
  if (nonce !== undefined && state === stateOf(nonce)) return enter(face, visit, code, state);
  // This browser did not start the sign-in: without asking, a link could sign its reader in as its sender.
  const person = visit.agent.id === undefined ? undefined : await face.sessions.peek(visit.agent.id, code);
  if (!person) return page(visit.response, 410, OVER);
  page(visit.response, 200, confirmAgentSessionPage({ action: PREFIX, code, email: person.email, agent: visit.agent.name }));
}

/**
 * The sign-in started at a custom domain: the browser continues there. The platform redirects only to agents'
 * own addresses; this ingress knows their other ones.
 */
async function handOn(face: SessionFace, { request, response, agent }: SessionVisit, host: string, query: URLSearchParams): Promise<void> {
  const site = await face.siteAt(host, request);
  if (site?.agentName !== agent.name || !(site.secureOrigin ?? site.origin).startsWith('https:'))
    return page(response, 410, messagePage('This address is gone', `${agent.name} does not answer at ${host} any more. Open the agent's own address.`));
  const target = new URL(PREFIX, site.secureOrigin ?? site.origin);
  target.search = new URLSearchParams({ code: query.get('code') ?? '', next: query.get('next') ?? '' }).toString();
  // Not by a redirect: the form that may have begun this names the agent's own address as its only end.
  page(response, 200, continuePage({ address: target.href, host }));
}

async function enter(face: SessionFace, { response, agent }: SessionVisit, code: string, state?: string): Promise<void> {
  const session = await face.sessions.exchange(agent.name, code).catch((error: unknown) => {
    if (error instanceof DomainError) return undefined;
    throw error;
  });
  if (!session) return page(response, 410, OVER);
  // What was signed for counts, not what the address says.
  const next = readNext(session.next);
  if (state !== undefined && next.state !== state) throw new Forbidden('wrong_browser', 'This sign-in was begun in another browser: begin it here');
  const seconds = Math.max(0, Math.floor((Date.parse(session.expires_at) - face.clock()) / 1000));
  setCookie(response, AGENT_SESSION_COOKIE, session.access_token, seconds);
  setCookie(response, HANDOFF_COOKIE, '', 0);
  redirect(response, next.to);
}

async function leave({ sessions }: SessionFace, { request, response, agent }: SessionVisit): Promise<void> {
  const token = cookiesOf(request.headers.cookie)[AGENT_SESSION_COOKIE];
  if (token !== undefined && agent.id !== undefined) await sessions.end(agent.id, token);
  setCookie(response, AGENT_SESSION_COOKIE, '', 0);
  page(response, 200, messagePage('Signed out', `You are signed out of ${agent.name}. You are still signed in at the platform.`));
}

function mustBeOwnPage(request: IncomingMessage): void {
  if (!fromOwnPage(request)) throw new Forbidden('cross_site', 'This was sent by another site: open the page and try again there');
}

function setCookie(response: ServerResponse, name: string, value: string, maxAge: number): void {
  response.appendHeader('set-cookie', `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${maxAge}`);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location: inAscii(location), 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'content-length': 0 }).end();
}

function page(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, pageHeaders()).end(html);
}

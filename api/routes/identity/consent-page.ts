// Whom a person lets know who they are: asked before the first hand-over to each agent, listed, taken back.
// Plain forms; each carries a token that is bound to the session and to what is asked, and must come from a
// page of ours.
//
//   GET  /sign-in/agent?agent=…&next=…   the question
//   POST /sign-in/agent                  yes: remembered, and on to the agent
//   GET  /sign-in/agents                 what was agreed to
//   POST /sign-in/agents                 takes one back, and ends the sessions there
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pathTo } from '#contract/path-to.ts';
import { isLocalPath } from '#contract/wire/local-path.ts';
import { AgentSlug } from '#contract/wire/names.ts';
import { agentUrl } from '#core/agents/agent/url.ts';
import { agentForPerson } from '#core/agents/agent/find.ts';
import type { Ctx, UserActor } from '#core/kernel/ctx.ts';
import { DomainError, Forbidden, Unauthorized } from '#core/kernel/errors.ts';
import { giveConsent, listConsents, withdrawConsent } from '#core/identity/agent-session/consent.ts';
import { SESSION_COOKIE } from '#core/identity/cookies.ts';
import { consentPage, consentsPage, messagePage, pageHeaders } from '#drivers/idp/pages.ts';
import { checkOrigin } from '../../http/csrf.ts';
import type { Authenticate } from '../../http/deps.ts';
import { unexpected, refusalOf } from '../../http/errors.ts';
import { requestId } from '../../http/request-id.ts';
import { formOf } from '../../http/small-form.ts';
import { cookiesOf } from '../../http/request.ts';
import type { Front } from '../../server.ts';

export const CONSENT_PATH = '/sign-in/agent';
const CONSENTS_PATH = '/sign-in/agents';

export function consentAddress(agent: string, next: string): string {
  return `${CONSENT_PATH}?${new URLSearchParams({ agent, next })}`;
}

export function authorizePath(agent: string, next: string): string {
  return `${pathTo('GET /v1/auth/agent-session/authorize')}?${new URLSearchParams({ agent, next })}`;
}

interface Visit {
  ctx: Ctx;
  user: UserActor;
  /** Bound to this browser's session. */
  tokenFor: (...what: string[]) => string;
  request: IncomingMessage;
  response: ServerResponse;
  query: URLSearchParams;
}

/** Takes the two paths, in any method; false for every other request. */
export function consentPages(ctx: Ctx, authenticate: Authenticate): Front {
  return (request, response) => {
    const [path, query = ''] = (request.url ?? '').split('?', 2);
    if (path !== CONSENT_PATH && path !== CONSENTS_PATH) return false;
    serve(path, new URLSearchParams(query), request, response).catch((error: unknown) => refuse(request, response, error));
    return true;
  };

  async function serve(path: string, query: URLSearchParams, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const step = `${request.method === 'HEAD' ? 'GET' : request.method} ${path}`;
    const cookies = cookiesOf(request.headers.cookie);
    const actor = await authenticate({ authorization: undefined, cookies });
    if (actor.kind !== 'user') return signInFirst(step, query, response);
    checkOrigin(request, ctx.config.baseUrl);
    const key = await ctx.drivers.vault.derive('agent consent forms');
    const tokenFor = (...what: string[]): string =>
      createHmac('sha256', key)
        .update(JSON.stringify([cookies[SESSION_COOKIE], ...what]))
        .digest('base64url');
    const visit: Visit = { ctx: { ...ctx, actor, requestId: requestId(undefined) }, user: actor, tokenFor, request, response, query };
    switch (step) {
      case `GET ${CONSENT_PATH}`:
        return ask(visit);
      case `POST ${CONSENT_PATH}`:
        return agree(visit);
      case `GET ${CONSENTS_PATH}`:
        return list(visit);
      case `POST ${CONSENTS_PATH}`:
        return takeBack(visit);
      default:
        response.setHeader('allow', 'GET, HEAD, POST');
        return page(response, 405, messagePage('Not here', 'This page is opened, not written to.'));
    }
  }
}

function signInFirst(step: string, query: URLSearchParams, response: ServerResponse): void {
  if (!step.startsWith('GET ')) throw new Unauthorized('unauthenticated', 'sign in first');
  const address = `${step.slice('GET '.length)}?${query}`;
  const here = address.length <= 2048 && isLocalPath(address) ? address : '/';
  response
    .writeHead(302, { location: `${pathTo('GET /v1/auth/oidc/start')}?${new URLSearchParams({ redirect_to: here })}`, 'cache-control': 'no-store' })
    .end();
}

async function ask({ ctx, user, tokenFor, response, query }: Visit): Promise<void> {
  const { agent, next } = whereTo(query);
  const agentView = await agentForPerson(ctx.db, user, { own: 'agent_consent.give', member: 'agent.call' }, agent);
  const html = consentPage({
    action: CONSENT_PATH,
    list: CONSENTS_PATH,
    agent: agentView.name,
    email: user.email,
    next,
    token: tokenFor('give', agentView.name, next),
  });
  // The answer to the form leads on to the agent, by a redirect: browsers look at that, too.
  page(response, 200, html, [new URL(agentUrl(ctx.config, agentView.name)).origin]);
}

async function agree({ ctx, tokenFor, request, response }: Visit): Promise<void> {
  const form = await formOf(request);
  const { agent, next } = whereTo(form);
  mustBe(form, tokenFor('give', agent, next));
  await giveConsent(ctx, { agent });
  response.writeHead(303, { location: authorizePath(agent, next), 'cache-control': 'no-store' }).end();
}

async function list({ ctx, user, tokenFor, response }: Visit): Promise<void> {
  const agents = (await listConsents(ctx)).map(({ agent, createdAt }) => ({
    agent,
    since: createdAt.toISOString().slice(0, 10),
    token: tokenFor('withdraw', agent),
  }));
  page(response, 200, consentsPage({ action: CONSENTS_PATH, email: user.email, agents }));
}

async function takeBack({ ctx, tokenFor, request, response }: Visit): Promise<void> {
  const form = await formOf(request);
  const { agent } = whereTo(form);
  mustBe(form, tokenFor('withdraw', agent));
  await withdrawConsent(ctx, { agent });
  response.writeHead(303, { location: CONSENTS_PATH, 'cache-control': 'no-store' }).end();
}

function whereTo(from: URLSearchParams): { agent: string; next: string } {
  const agent = AgentSlug.safeParse(from.get('agent'));
  const next = from.get('next') ?? '/';
  if (!agent.success || next.length > 2048) throw new Forbidden('form_invalid', 'this address names no agent');
  return { agent: agent.data, next: isLocalPath(next) ? next : '/' };
}

function mustBe(form: URLSearchParams, due: string): void {
  const [given, wanted] = [Buffer.from(form.get('token') ?? ''), Buffer.from(due)];
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return;
  throw new Forbidden('form_invalid', 'This form was made for another session: open the page again');
}

function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const id = requestId(request.headers['x-request-id']);
  const { status, body } = refusalOf(error, id) ?? unexpected(error, id);
  const text = body.detail.message;
  page(response, status, messagePage('That did not work', `${text.charAt(0).toUpperCase()}${text.slice(1)}${error instanceof DomainError ? '' : ` (${id})`}`));
}

function page(response: ServerResponse, status: number, html: string, formTargets: string[] = []): void {
  response.writeHead(status, pageHeaders(formTargets)).end(html);
}

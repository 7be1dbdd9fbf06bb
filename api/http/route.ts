// One declared route as a Koa middleware: origin, who calls, may they, how often, is the input right, the
// verb, the answer.
import type { ServerResponse } from 'node:http';
import type { Knex } from 'knex';
import type { HttpContext, HttpMiddleware } from './state.ts';
import { HEADER, ORGANIZATION_QUERY } from '#contract/wire/headers.ts';
import { INTEGRATION_TOKEN } from '#contract/identity/integration-links.ts';
import { errorStatuses, isSchema, locate, type BodySpec, type RouteSpec, type Scope } from '#contract/kit.ts';
import { readTraceparent, TRACEPARENT, TRACESTATE } from '#contract/wire/trace-context.ts';
import { readUncheckedGrant } from '#contract/crypto/grant-token.ts';
import { AgentName } from '#contract/wire/names.ts';
import { agentUrl } from '#core/agents/agent/url.ts';
import type { Claim } from '#core/identity/rights/claim.ts';
import type { Actor, Ctx } from '#core/kernel/ctx.ts';
import { Forbidden, Invalid, Unauthorized } from '#core/kernel/errors.ts';
import { answer } from './answer.ts';
import { readJson } from './body.ts';
import { AGENT_VIEW_COOKIE } from '#core/identity/cookies.ts';
import { checkOrigin } from './csrf.ts';
import type { HttpDeps } from './deps.ts';
import { refusalOf } from './errors.ts';
import { guestOf } from './guest.ts';
import type { Http } from './handlers.ts';
import { check, isEncodedText, splitTarget, urlDecoder } from './input.ts';
import { readForm } from './multipart.ts';
import { packingOf, refusePacked } from './packed-body.ts';
import { cookiesOf, KoaHttp } from './request.ts';
import { rechecksOf, whenClosed } from './recheck.ts';
import { scimStatus } from './scim-form.ts';
import { admit } from './scopes.ts';

/** A handler after its types have done their work. */
export type ErasedHandler = (ctx: Ctx, input: Record<string, unknown>, http: Http) => unknown;

const ANONYMOUS: Actor = { kind: 'anonymous' };
const END_WHOLE_MS = 500;
/** Their callers act for no account. */
const NO_ACCOUNT: readonly Scope[] = ['operator', 'platform', 'scim'];

export function routeMiddleware(spec: RouteSpec, handler: ErasedHandler, deps: HttpDeps): HttpMiddleware {
  const readInput = inputReader(spec);
  const fileLink = isFileLink(spec);
  const allowed = errorStatuses(spec);
  // What may take long: answers that stream, and uploads.
  const lasts = [spec.out, spec.body].some((one) => one !== undefined && !isSchema(one));
  return async (koa) => {
    koa.state.route = spec.at;
    koa.state.forPeople = spec.redirects === true;
    if (spec.body !== undefined) (isSchema(spec.body) ? packingOf : refusePacked)(koa.req);
    if (koa.method === 'HEAD' && spec.redirects) return onlyLooked(koa);
    try {
      const actor = await whoCalls(koa, spec, deps, fileLink);
      koa.state.actor = actor;
      if (spec.limit) await deps.limits.take(spec.limit, guestOf(koa.req) === undefined ? limitKey(actor, koa.ip) : koa.ip);
      const input = await readInput(koa);
      const ends = lasts && actor.kind !== 'anonymous' ? whileAllowed(deps.db, { actor, ...shareOf(koa) }, koa.res) : undefined;
      const http = new KoaHttp(koa, ends ? AbortSignal.any([deps.shutdown, ends]) : deps.shutdown, deps.log);
      const { config, db, drivers, followers, clock } = deps;
      const result = await handler(
        {
          actor,
          config,
          db,
          drivers,
          followers,
          clock,
          requestId: koa.state.requestId,
          from: fromOf(koa),
          trace: readTraceparent(koa.req.headers[TRACEPARENT], koa.req.headers[TRACESTATE]),
        },
        input,
        http,
      );
      await answer(koa, spec, result, http, deps);
    } catch (error) {
      const refusal = refusalOf(error, koa.state.requestId);
      if (refusal && !allowed.includes(spec.scope === 'scim' ? scimStatus(refusal.status) : refusal.status)) {
        deps.log.error({ err: error, route: spec.at, request_id: koa.state.requestId }, `broken contract: status ${refusal.status} is not declared`);
        if (deps.strict) throw new Error(`${spec.at} may not answer ${refusal.status}`, { cause: error });
      }
      throw error;
    }
  };
}

/**
 * An address of sign-in: to answer it may use up its code, and previews of links and mail filters ask for the
 * head of what they find.
 */
function onlyLooked(koa: HttpContext): void {
  koa.status = 200;
  koa.set('cache-control', 'no-store');
  koa.body = '';
}

function fromOf(koa: HttpContext): Ctx['from'] {
  return { address: koa.ip, userAgent: koa.get('user-agent') || null };
}

/** By what its token says: the handler verifies that. */
function shareOf(koa: HttpContext): Pick<Claim, 'share'> {
  const token = koa.get('svc-grant');
  const share = token === '' ? undefined : readUncheckedGrant(token)?.grant_id;
  return share === undefined ? {} : { share };
}

/** What ends by its signal ends whole; what does not, a download perhaps, is broken off a moment later. */
function whileAllowed(db: Knex, claim: Claim, response: ServerResponse): AbortSignal {
  const ended = new AbortController();
  const leave = rechecksOf(db).enter(claim, (why) => {
    ended.abort(why);
    setTimeout(() => response.writableFinished || response.destroy(), END_WHOLE_MS).unref();
  });
  whenClosed(response, leave);
  return ended.signal;
}

async function whoCalls(koa: HttpContext, spec: RouteSpec, deps: HttpDeps, fileLink: boolean): Promise<Actor> {
  checkOrigin(koa.req, deps.config.baseUrl);
  if (spec.scope === 'none' || spec.scope === 'public') return ANONYMOUS;
  const { authorization, cookie } = koa.req.headers;
  const integrationToken = spec.scope.includes('agent-token') || spec.agentTokens ? first(koa.query[INTEGRATION_TOKEN]) : undefined;
  const bare = authorization === undefined && cookie === undefined && integrationToken === undefined;
  const cookies = cookiesOf(cookie);
  // Only where it is meant: any page of a sister host could set a cookie of this name, and close the other
  // routes to its victim.
  const agentSession = spec.agentSessions ? cookies[AGENT_VIEW_COOKIE] : undefined;
  const organization = spec.personal || NO_ACCOUNT.includes(spec.scope) ? undefined : organizationOf(koa, fileLink);
  const actor = bare ? ANONYMOUS : await deps.authenticate({ authorization, cookies, integrationToken, agentSession, organization, from: fromOf(koa) });
  if (bare && spec.signed?.some((header) => koa.req.headers[header] !== undefined)) return ANONYMOUS;
  if (bare && spec.linked && koa.query.token !== undefined) return ANONYMOUS;
  const verdict = admit(spec.scope, actor, spec);
  if (verdict === 'unauthenticated') throw new Unauthorized('unauthenticated', `${SIGN_IN}${atAgent(koa, spec, deps)}`);
  if (verdict === 'forbidden') throw new Forbidden('wrong_scope', `these credentials are not meant for this route; it needs: ${spec.scope}`);
  // As if the token were unknown: whose it is says nothing of other organizations.
  if (actor.kind === 'org_scim' && koa.params.slug !== actor.slug)
    throw new Unauthorized('token_invalid', 'This SCIM token is not valid for this address: take both from the SCIM page of the organization');
  return actor;
}

const SIGN_IN = 'sign in first, and send the access token as `Authorization: Bearer …`';

/** Made from the name: it does not say whether such an agent exists. */
function atAgent(koa: HttpContext, { atAgent: path }: RouteSpec, { config }: HttpDeps): string {
  const name = path === undefined ? undefined : AgentName.safeParse(koa.params.name).data;
  return name === undefined ? '' : `; a public agent takes this without one at ${agentUrl(config, name)}${path}`;
}

/** A link to a file names it in its query, as it can send no header. The same is looked up for both. */
function organizationOf(koa: HttpContext, fileLink: boolean): string | undefined {
  return first(koa.req.headers[HEADER.organization]) ?? (fileLink ? first(koa.query[ORGANIZATION_QUERY]) : undefined);
}

/** What a browser opens, and keeps, by a link. */
function isFileLink(spec: RouteSpec): boolean {
  if (locate(spec).method !== 'GET' || spec.out === undefined || isSchema(spec.out)) return false;
  return spec.out.kind === 'bytes' || spec.out.kind === 'ndjson';
}

function limitKey(actor: Actor, ip: string): string {
  if (actor.kind === 'user' || actor.kind === 'agent_session') return actor.user_id;
  if (actor.kind === 'run') return actor.run_id;
  if (actor.kind === 'source_token') return actor.owner_id;
  return actor.kind === 'api_token' ? actor.token_id : actor.kind === 'platform' ? `platform:${actor.service}` : ip;
}

function inputReader(spec: RouteSpec): (koa: HttpContext) => Promise<Record<string, unknown>> {
  const { params, query, headers, body } = spec;
  const decodeParams = params && urlDecoder(params);
  const decodeQuery = query && urlDecoder(query);
  const headerNames = Object.keys(headers?._zod.def.shape ?? {});
  const readBody = body === undefined ? undefined : bodyReader(spec, body);
  return async (koa) => {
    const issues: Invalid['issues'] = [];
    const input: Record<string, unknown> = {};
    const [path, search] = splitTarget(koa.req.url);
    if (params && decodeParams) input.params = isEncodedText(path) ? check(params, decodeParams(koa.params), 'params', issues) : badEncoding('params', issues);
    if (query && decodeQuery)
      input.query = isEncodedText(search) ? check(query, decodeQuery(withoutOrganization(koa.query)), 'query', issues) : badEncoding('query', issues);
    if (headers) input.headers = check(headers, pick(koa.req.headers, headerNames), 'headers', issues);
    if (readBody) input.body = await readBody(koa, issues);
    if (issues.length > 0) throw new Invalid(issues);
    return input;
  };
}

function withoutOrganization<Q extends object>(query: Q): Omit<Q, typeof ORGANIZATION_QUERY> {
  if (!(ORGANIZATION_QUERY in query)) return query;
  const { [ORGANIZATION_QUERY]: _, ...rest } = query;
  return rest;
}

function badEncoding(place: 'params' | 'query', issues: Invalid['issues']): void {
  issues.push({ path: [place], message: 'is not percent-encoded UTF-8: encode every other character of the address as %XX' });
}

/** Header names in URLs' and Node's spelling are lower-case already. */
function pick(all: Record<string, string | string[] | undefined>, names: readonly string[]): Record<string, string | string[] | undefined> {
  return Object.fromEntries(names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
}

function bodyReader(spec: RouteSpec, body: BodySpec): (koa: HttpContext, issues: Invalid['issues']) => Promise<unknown> {
  if (isSchema(body)) {
    return async (koa, issues) => {
      const read = await readJson(koa.req, spec, issues);
      return read && check(body, read.value, 'body', issues);
    };
  }
  if (body.kind === 'multipart') {
    const names = new Set(Object.keys(body.fields._zod.def.shape));
    return (koa) => Promise.resolve().then(() => readForm(koa.req, names));
  }
  return (koa) => Promise.resolve(koa.req);
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

// Around every request: its id, its one log line, and the one place where a thrown error becomes an answer.
import type { Logger } from 'pino';
import { METADATA_PATH } from '#contract/identity/resources.ts';
import { MethodNotAllowed, NotFound } from '#core/kernel/errors.ts';
import { messagePage, pageHeaders } from '#drivers/idp/pages.ts';
import { inOneSpelling } from './agent-address.ts';
import { isPageVisit, sentence, titleOf } from './browser.ts';
import { drain } from './drain.ts';
import { guestOf } from './guest.ts';
import { faultOf, unexpected, refusalOf } from './errors.ts';
import { answerInPrivate, hasIntegrationToken } from './integration-token.ts';
import { safeUrl } from './log.ts';
import type { Metrics } from './metrics.ts';
import { requestId } from './request-id.ts';
import { inScimForm, isScim, SCIM_MEDIA, scimStatus } from './scim-form.ts';
import type { HttpContext, HttpMiddleware } from './state.ts';

export function frame(log: Logger, metrics: Metrics, baseUrl: string): HttpMiddleware {
  const signIn = `Bearer realm="svc", resource_metadata="${baseUrl}${METADATA_PATH}"`;
  return async (ctx, next) => {
    const started = performance.now();
    ctx.state.requestId = requestId(ctx.req.headers['x-request-id']);
    ctx.set('x-request-id', ctx.state.requestId);
    ctx.req.url = inOneSpelling(ctx.req.url ?? '/');
    if (hasIntegrationToken(ctx.req.url)) answerInPrivate(ctx.res);
    const guest = guestOf(ctx.req);
    // It has no address, and none of this machine's: limits count it by its instance.
    if (guest !== undefined) ctx.request.ip = `guest:${guest}`;
    ctx.res.once('close', () => record(ctx, performance.now() - started, log, metrics));
    try {
      await next();
      if (ctx.state.route === undefined && ctx.status === 404 && ctx.respond !== false) unknownPath(ctx);
    } catch (error) {
      await refuse(ctx, error, log, signIn);
    }
  };
}

function unknownPath(ctx: HttpContext): never {
  const methods = methodsOf(ctx);
  if (methods.length === 0) throw new NotFound('route_not_found', `there is nothing at ${ctx.path}; the API reference is at /docs/api`);
  ctx.set('allow', methods.join(', '));
  throw new MethodNotAllowed('method_not_allowed', `${ctx.path} takes ${methods.join(', ')}`);
}

/**
 * Methods of the closest route that the router matched only by path: a literal path is no value of a
 * parameter.
 */
function methodsOf(ctx: HttpContext): string[] {
  const layers: { path: string | RegExp; methods: string[] }[] = ctx.matched ?? [];
  const closest = layers.filter((layer) => layer.path === layers[0]?.path);
  return [...new Set(closest.flatMap((layer) => layer.methods))].sort();
}

async function refuse(ctx: HttpContext, error: unknown, log: Logger, signIn: string): Promise<void> {
  const { requestId: id, route } = ctx.state;
  const known = refusalOf(error, id);
  ctx.state.fault = faultOf(error);
  if (!known) log.error({ err: error, request_id: id, route }, 'a request failed');
  if (ctx.headerSent) return void ctx.res.destroy();
  const { status, body, headers } = known ?? unexpected(error, id);
  const scim = isScim(ctx.req.url);
  ctx.status = scim ? scimStatus(status) : status;
  ctx.set(headers);
  if (status === 401) ctx.set('www-authenticate', scim ? 'Bearer realm="svc"' : signIn);
  if (!ctx.req.complete) {
    ctx.set('connection', 'close');
    await drain(ctx.req);
  }
  // Addresses that people open: those of sign-in, and any that is none of ours.
  if ((ctx.state.forPeople && ctx.get('accept').includes('text/html')) || (route === undefined && !scim && isPageVisit(ctx.req))) {
    ctx.set(pageHeaders());
    ctx.body = messagePage(titleOf(status), sentence(body.detail.message));
    return;
  }
  ctx.type = `${scim ? SCIM_MEDIA : 'application/json'}; charset=utf-8`;
  ctx.body = JSON.stringify(scim ? inScimForm({ status, body }) : body);
}

function record(ctx: HttpContext, milliseconds: number, log: Logger, metrics: Metrics): void {
  const { route = 'none', requestId: id, actor, fault } = ctx.state;
  metrics.answered(route, ctx.status, milliseconds / 1000);
  // A token in the path is a credential: then only the route is logged.
  const url = route.includes('{token}') ? undefined : safeUrl(ctx.req.url ?? '');
  const user = actor?.kind === 'user' ? actor.user_id : actor?.kind;
  log.info({
    request_id: id,
    method: ctx.method,
    url,
    route,
    status: ctx.status,
    ...(fault === undefined ? {} : { fault }),
    ms: Math.round(milliseconds * 10) / 10,
    actor: user,
    cut: !ctx.res.writableFinished,
  });
}

// What middlewares tell each other about one request.
import type { Middleware, ParameterizedContext } from 'koa';
import type { Actor } from '#core/kernel/ctx.ts';

export interface HttpState {
  requestId: string;
  /** The declared route that answers, once it is known: `GET /v1/agents/{name}`. */
  route?: string;
  /** People come to this route by their browser: a refusal is a page for them. */
  forPeople?: boolean;
  actor?: Actor;
  /** Why it was refused, where the answer does not say. */
  fault?: string | undefined;
}

export type HttpContext = ParameterizedContext<HttpState>;
export type HttpMiddleware = Middleware<HttpState>;

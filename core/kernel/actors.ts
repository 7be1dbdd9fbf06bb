// What verbs ask of the actor. Scope was checked at the door; this narrows the type and guards calls from elsewhere.
import type { Ctx, UserActor } from './ctx.ts';
import { Forbidden, Unauthorized } from './errors.ts';

export function requireUser(ctx: Ctx): UserActor {
  const { actor } = ctx;
  if (actor.kind === 'user') return actor;
  if (actor.kind === 'anonymous') throw new Unauthorized('unauthenticated', 'Sign in first: send Authorization: Bearer <token>');
  throw new Forbidden('user_required', 'This needs a signed-in user, not a token of another kind');
}

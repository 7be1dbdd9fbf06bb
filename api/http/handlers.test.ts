// What must not compile does not: each line below that expects an error fails the type check when the error
// is gone.
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { eventStream, group, multipart, passthrough } from '#contract/kit.ts';
import type { AnonymousActor, UserActor } from '#core/kernel/ctx.ts';
import type { ContractHandlers, Handlers } from './handlers.ts';

const Out = z.object({ slug: z.string(), state: z.enum(['open', 'claimed']) });
const routes = group({
  create: {
    at: 'POST /v1/bounties',
    summary: 'Post',
    scope: 'authenticated',
    body: z.strictObject({ title: z.string() }),
    out: Out,
    status: 201,
    errors: [401, 403],
  },
  read: {
    at: 'GET /v1/bounties/{slug}',
    summary: 'Read',
    scope: 'optional',
    params: z.object({ slug: z.string() }),
    query: z.object({ limit: z.number().default(8) }),
    out: Out,
    errors: [404],
  },
  remove: {
    at: 'DELETE /v1/bounties/{slug}',
    summary: 'Cancel',
    scope: 'account',
    params: z.object({ slug: z.string() }),
    status: 204,
    errors: [401, 403, 404],
  },
  follow: { at: 'GET /v1/bounties/stream', summary: 'Follow', scope: 'public', out: eventStream(z.object({ seq: z.number() })), errors: [] },
  upload: {
    at: 'POST /v1/bounties/files',
    summary: 'Upload',
    scope: 'account',
    body: multipart(z.object({ title: z.string(), source: z.string() })),
    out: Out,
    errors: [401, 403],
  },
  call: { at: 'POST /v1/bounties/call', summary: 'Call', scope: 'account', out: passthrough(z.unknown()), errors: [401, 403, 502] },
});

const good: Handlers<typeof routes> = {
  create: (ctx, { body }, http) => {
    expectTypeOf(ctx.actor).toEqualTypeOf<UserActor>();
    return http.reply(201, { slug: body.title, state: 'open' });
  },
  read: async (ctx, { params, query }) => {
    expectTypeOf(ctx.actor).toEqualTypeOf<UserActor | AnonymousActor>();
    expectTypeOf(query.limit).toEqualTypeOf<number>();
    return { slug: params.slug, state: 'open' };
  },
  remove: () => undefined,
  follow: async function* () {
    yield { id: '1', event: 'tick', data: { seq: 1 } };
  },
  upload: async (_ctx, { body }) => {
    for await (const part of body) expectTypeOf(part.name).toEqualTypeOf<'title' | 'source'>();
    return { slug: 'a', state: 'open' };
  },
  call: (_ctx, _input, http) => http.reply(502, { anything: true }),
};

test('a handler answers what the contract says, with the statuses it says', () => {
  // @ts-expect-error a member the contract does not have
  const wrongField: Handlers<typeof routes>['read'] = () => ({ slug: 'a', status: 'open' });
  // @ts-expect-error a value outside the enum
  const wrongValue: Handlers<typeof routes>['read'] = () => ({ slug: 'a', state: 'lost' });
  // @ts-expect-error 200 is not what this route declares
  const wrongStatus: Handlers<typeof routes>['create'] = (_ctx, _input, http) => http.reply(200, { slug: 'a', state: 'open' });
  // @ts-expect-error 504 is not among the declared errors of a passed-through answer
  const wrongFailure: Handlers<typeof routes>['call'] = (_ctx, _input, http) => http.reply(504, {});
  // @ts-expect-error only routes that declare redirects may redirect
  const wrongRedirect: Handlers<typeof routes>['read'] = (_ctx, _input, http) => http.redirect('/', { slug: 'a', state: 'open' });
  // @ts-expect-error the route declares no body
  const noBody: Handlers<typeof routes>['read'] = (_ctx, { body }) => ({ slug: String(body), state: 'open' });
  const { call: _, ...rest } = good;
  // @ts-expect-error `call` has no handler
  const missing: Handlers<typeof routes> = rest;
  // @ts-expect-error a whole group has no handlers
  const missingGroup: ContractHandlers<{ bounties: typeof routes }> = {};
  void [wrongField, wrongValue, wrongStatus, wrongFailure, wrongRedirect, noBody, missing, missingGroup];
});

test('a declaration names a known scope, method and status', () => {
  // @ts-expect-error no such scope
  group({ a: { at: 'GET /a', summary: '', scope: 'everyone', errors: [] } });
  // @ts-expect-error no such method
  group({ a: { at: 'FETCH /a', summary: '', scope: 'public', errors: [] } });
  // @ts-expect-error 418 is not a status of this platform
  group({ a: { at: 'GET /a', summary: '', scope: 'public', errors: [418] } });
  // @ts-expect-error the scope cannot be left out
  group({ a: { at: 'GET /a', summary: '', errors: [] } });
});

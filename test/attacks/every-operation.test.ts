// Every declared operation, called with Ada's ids and inputs by callers who must not have them: anonymous is
// 401, the wrong kind of caller 403, another tenant's record 404; no answer shows what is hers, none breaks,
// nothing of hers changes. The operations are the contract's own: a new route is walked without a line here.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { locate } from '#contract/kit.ts';
import { callRoute } from '../api/call.ts';
import { hidesRecords, refusalIn, refusalOfKind } from '../api/refusal.ts';
import { editedByApi } from '../api/records/made-by-api.ts';
import { isHead, routesWith } from '../api/walk.ts';
import { createWorld, open, ROUTES, type World } from '../api/world.ts';
import { cites } from '../spec/verifies.ts';
import { accessToken, accessTokens, attackers, type Caller, SESSION } from './attackers.ts';
import { marksOf, rowsNaming, shownIn, textOf, withoutCodes } from './marks.ts';

const PLATFORM = 'a part of the platform';
let world: World;
let ada: string;
let callers: Record<string, Caller>;
/** Tokens that would be Ada's, were they still or here valid. */
let dead: Record<string, string>;
/** What only Ada, or who she let, may read: ids, names and values of hers. */
let marks: string[];
let before: Map<string, number>;

beforeAll(async () => {
  world = await createWorld({ serving: true, accessTokens });
  Object.assign(world.records, (await editedByApi(world.as('ada'))).params);
  const found = await attackers(world);
  const { owner } = found;
  ada = owner.user_id;
  ({ dead } = found);
  callers = { ...found.callers, [PLATFORM]: { kind: 'platform', token: world.tokens.platform } };
  // The walk can fail: the same key opens her account where the token is for it, and what she reads is among
  // the marks.
  const mine = await fetch(`${world.url}/v1/me`, { headers: { authorization: `Bearer ${await accessToken(owner, {})}` } });
  expect([mine.status, await mine.text()]).toEqual([200, expect.stringContaining(ada)]);
  await withoutCodes(world);
  marks = [...new Set([ada, owner.email, found.other.id, found.other.name, ...marksOf(world)])];
  before = await hers();
});
afterAll(() => world.close());

const hers = () => rowsNaming(world.ctx.db, [ada, world.records['name'] ?? '']);

const operations = ROUTES.map((route) => [route.id, route] as const);

describe('other callers cannot read her records', cites('scopes.credentials', 'scopes.kinds', 'errors.not_found'), () => {
  test.each(operations)('%s', async (id, route) => {
    const wrongKinds = Object.values(callers).filter(({ kind }) => refusalOfKind(route.spec, kind)?.status === 403);
    if (!open(route.spec.scope)) expect(wrongKinds).not.toEqual([]);
    for (const [who, { kind, token }] of Object.entries(callers)) {
      // An agent's page may ask whose session it has: that is what the session is for.
      if (route.spec.agentSessions && who === SESSION) continue;
      const refused = refusalOfKind(route.spec, kind);
      // It reads what is hers where it is let in.
      if (who === PLATFORM && !refused) continue;
      const response = await callRoute(world, route, undefined, { token });
      const text = await textOf(response);
      expect([response.status, text], who).not.toEqual([500, expect.anything()]);
      if (response.ok) {
        const shown = shownIn(world, marks, text + [...response.headers.values()].join(), id);
        // A stream of a caller's own, which names no record, may be read.
        const streams = route.spec.params !== undefined && response.headers.get('content-type')?.startsWith('text/event-stream') === true;
        expect([who, shown, streams]).toEqual([who, [], false]);
      }
      // Answers to HEAD have no text.
      if (refused) expect(isHead(route) ? { ...refused, status: response.status } : refusalIn(response, text), who).toMatchObject(refused);
      if (kind !== 'user' || !hidesRecords(route) || isHead(route)) continue;
      const { status, message } = refusalIn(response, text);
      expect(status, who).toBe(404);
      // What does not exist reads the same as what is not yours.
      expect(message.replaceAll(/[\w-]*\d[\w-]*/g, '')).not.toMatch(/owner|permission|belongs/i);
    }
  });
});

describe('a token of hers that does not hold opens nothing', () => {
  test.each(operations)('%s', async (id, route) => {
    for (const [who, token] of Object.entries(dead)) {
      const response = await callRoute(world, route, undefined, { token });
      const text = await textOf(response);
      if (!open(route.spec.scope)) expect([who, response.status], text).toEqual([who, isHead(route) ? response.status : 401]);
      else expect([who, response.ok ? shownIn(world, marks, text, id) : []]).toEqual([who, []]);
      expect(response.ok && !open(route.spec.scope), who).toBe(false);
      expect(response.status, who).not.toBe(500);
    }
  });
});

test('nothing of hers was changed by any of it, and nothing was made in her name', async () => {
  const after = await hers();
  const gone = [...before.keys()].filter((row) => !after.has(row));
  const made = [...after.keys()].filter((row) => !before.has(row));
  expect({ gone, made }).toEqual({ gone: [], made: [] });
});

// A route that answers 404 to everybody hides nothing. (Of changes, test/api/valid-calls.test.ts shows that
// their owner may make them.)
describe('of what others do not find, its owner gets further', () => {
  test.each(routesWith((route) => locate(route.spec).method === 'GET' && hidesRecords(route)))('%s', async (_, route) => {
    const mine = await callRoute(world, route, 'ada');
    await mine.body?.cancel();
    expect(mine.status).not.toBe(404);
  });
});

// What every declared route promises about its input, by only its declaration. A new group gets these without
// a line of its own. Who may call it: test/attacks/every-operation.test.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSchema, locate } from '#contract/kit.ts';
import { callRoute } from './call.ts';
import { FORGED_TOKEN } from './hostile.ts';
import { refusal } from './refusal.ts';
import { beyondColumns, beyondEvents, isHead, PLACES, refusedAt, routesWith as routes, routesWithPlace, unstorable } from './walk.ts';
import { callerFor, createWorld, open, ROUTES, type World } from './world.ts';
import { cites } from '../spec/verifies.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** What a mistake in the input is answered with. */
const mistake = ({ spec }: (typeof ROUTES)[number], place: unknown): unknown[] => (spec.scope === 'scim' ? [400, undefined] : [422, place]);
/** A SCIM token is checked against the organization in the address before anything else is read. */
const notTheirs = ({ spec }: (typeof ROUTES)[number], param: string): boolean => spec.scope === 'scim' && param === 'slug';

describe('a token that does not hold is 401, whatever else is wrong', () => {
  test.each(routes(({ spec }) => !open(spec.scope)))('%s', async (_, { spec }) => {
    const { method, path } = locate(spec);
    const response = await fetch(world.url + path.replace(/\{\w+(:path)?\}/g, 'x'), { method, headers: { authorization: `Bearer ${FORGED_TOKEN}` } });
    expect(await refusal(response)).toMatchObject({ status: 401 });
  });
});

describe.each(PLACES)('junk is 422, with the place of each mistake: %s', (place) => {
  test.each(routesWithPlace(place))('%s', cites('errors.unprocessable'), async (_, route) => {
    const who = callerFor(route.spec.scope);
    for (const { at, sent, over } of refusedAt(route, place)) {
      const { status, issues } = await refusal(await callRoute(world, route, who, over));
      const named = ({ path }: { path: readonly unknown[] }): boolean => at.every((step, n) => path[n] === step);
      // Nothing but the body is wrong: its mistake comes first.
      const found = place === 'body' ? issues?.slice(0, 1).some(named) : issues?.some(named);
      const [, name = ''] = at;
      const expected = place === 'params' && notTheirs(route, name) ? [401, undefined] : mistake(route, true);
      expect([status, found], `${at.join('.')}=${sent.slice(0, 20)}`).toEqual(expected);
    }
  });
});

// Values that pass a loose schema and that PostgreSQL refuses: answered as the caller's mistake, or harmless,
// and never as ours.
describe('numbers and cursors beyond their columns are no defect of ours', () => {
  test.each(routesWithPlace('query').filter(([, { spec }]) => locate(spec).method === 'GET'))('%s', async (_, route) => {
    const who = callerFor(route.spec.scope) ?? 'ada';
    for (const { at, sent, over } of beyondColumns(route)) {
      const response = await callRoute(world, route, who, { ...over, headers: { accept: 'application/json' } });
      await response.body?.cancel();
      expect(response.status, `${at.join('.')}=${sent}`).toBeLessThan(500);
    }
  });
});

describe('a Last-Event-ID beyond every event is no defect of ours', () => {
  const streams = routes(
    ({ spec: { at, out } }) => at.startsWith('GET') && out !== undefined && !isSchema(out) && ['event-stream', 'passthrough'].includes(out.kind),
  );
  test('there are streams', () => expect(streams.length).toBeGreaterThan(1));
  test.each(streams)('%s', async (id, route) => {
    for (const { sent, over } of beyondEvents()) {
      const response = await callRoute(world, route, 'ada', { headers: { accept: 'text/event-stream', ...over.headers } });
      await response.body?.cancel();
      expect(response.status, `${id}: ${sent}`).toBeLessThan(500);
    }
  });
});

// tus says what HEAD of an upload answers: its offset, and nothing of what GET shows.
const OWN_HEAD = ['fileUploads.offset'];

describe('HEAD answers as GET does, without the body', () => {
  test.each(ROUTES.filter((route) => isHead(route) && !OWN_HEAD.includes(route.id)).map((route) => [route.id, route] as const))('%s', async (_, route) => {
    const get = ROUTES.find(({ spec }) => spec.at === route.spec.at.replace('HEAD', 'GET'));
    if (!get) throw new Error(`${route.spec.at} has no GET beside it`);
    for (const who of [undefined, 'ada', 'ben', 'platform'] as const) {
      const [head, full] = [await callRoute(world, route, who), await callRoute(world, get, who)];
      const length = (await full.arrayBuffer()).byteLength;
      expect([head.status, head.headers.get('content-type'), head.headers.get('content-length'), (await head.arrayBuffer()).byteLength]).toEqual([
        full.status,
        full.headers.get('content-type'),
        String(length),
        0,
      ]);
    }
  });
});

// Last: what passes is done.
describe('text that no column takes is refused or stored otherwise, and is no defect of ours', () => {
  test.each(routes(() => true))('%s', async (_, route) => {
    const who = callerFor(route.spec.scope) ?? 'ada';
    for (const { at, over } of unstorable(route, world)) {
      const response = await callRoute(world, route, who, over);
      await response.body?.cancel();
      expect([at.join('.'), response.status >= 500 ? response.status : 'fine']).toEqual([at.join('.'), 'fine']);
    }
  });
});

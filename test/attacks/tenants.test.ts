// The tenant matrix: two tenants, a person (Ada) and an organization (House), and every operation, the
// unlisted ones too, with their ids and valid inputs. Who asks: an owner of another organization, a member
// who was removed and is a stranger now, a colleague of Ada's, and a token of another agent of the
// organization. Whatever they read, change and delete is answered 401, 403 or 404 or is about themselves, and
// no row of anybody else differs afterwards. A stranger and other tokens at what is Ada's:
// every-operation.test.ts; a session that another organization's provider made: provider-session.test.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { locate } from '#contract/kit.ts';
import { newPlatformToken } from '#core/identity/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { callRoute } from '../api/call.ts';
import { runRow } from '../api/records/run-row.ts';
import { editedByApi } from '../api/records/made-by-api.ts';
import { lastingRecords } from '../api/records.ts';
import { hidesRecords, refusalIn, refusalOfKind } from '../api/refusal.ts';
import { isHead } from '../api/walk.ts';
import { createWorld, ROUTES, type World } from '../api/world.ts';
import { addOrganization } from '../support/scim.ts';
import { addAgent, addUser } from '../support/verbs.ts';
import { callRunRoute, RUN_ROUTES } from './run-routes.ts';
import { allRows, marksOf, shownIn, textOf, withoutCodes } from './marks.ts';

const HOUSE = 'house';
const OTHER = 'rivals';
/** Of Ada and a colleague; it has nothing. */
const CLUB = 'club';

/**
 * Content that several accounts store is kept once, with when it was last stored; a guest run is of who has
 * its token.
 */
const SHARED = /^(blobs|studio_guest_runs) /;

interface Attacker {
  token: string;
  kind: 'user' | 'api_token';
  /** The organization that they say they act for. */
  acts?: string;
  /** With what every route is refused that looks at for whom they act. */
  refused?: string;
}

let world: World;
/** The same installation, with the records of House in place of Ada's. */
let house: World;
/** Acts for House: what is hidden from others is there. */
let owner: string;
let at: Record<'ada' | 'house', Record<string, Attacker>>;
/** Accounts and agents of the attackers: rows about only these may differ. */
let theirs: string[];
let before: Map<string, number>;

beforeAll(async () => {
  world = await createWorld();
  const { db } = world.ctx;
  const ada = world.as('ada');
  const made = await ada.organizations.create({ body: { slug: HOUSE, name: 'House' } });
  const agent = await addAgent(db, made.organization_id, { live: true });
  const { records, calls, grant } = await lastingRecords(world.ctx, made.organization_id, agent);
  const person = (await ada.auth.me()).user_id;
  Object.assign(world.records, { run_id: await aRun(person, world.records), account_id: person });
  Object.assign(records, { run_id: await aRun(made.organization_id, records), account_id: made.organization_id });
  Object.assign(records, (await editedByApi(ada, { headers: { 'svc-organization': HOUSE } })).params);
  house = { ...world, records: { ...world.records, ...records }, calls: { ...world.calls, ...calls }, headers: { 'svc-grant': grant } };
  owner = world.tokens.ada;
  const token = async (user_id: string, more: object = {}): Promise<string> => {
    const text = newPlatformToken();
    await db('platform_tokens').insert({ token_id: newId('tok'), token_hash: hashSecret(text), kind: 'user', user_id, label: 'test', ...more });
    return text;
  };
  const joins = async (organization_id: string, user_id: string): Promise<string> => {
    const [member_id, now] = [newId('mem'), new Date()];
    const row = { member_id, organization_id, user_id, email: `${user_id}@example.test`, role: 'owner' as const, state: 'active' as const };
    await db('organization_members').insert({ ...row, source: 'person', created_at: now, joined_at: now, updated_at: now });
    return member_id;
  };
  const [rival, removed, colleague] = [await addUser(db, 'rival'), await addUser(db, 'removed'), await addUser(db, 'colleague')];
  const rivals = await addOrganization(db, OTHER, rival);
  const club = await ada.organizations.create({ body: { slug: CLUB, name: 'Club' } });
  await joins(club.organization_id, colleague);
  // Records of House name organizations that it made.
  const slugs = new Set(Object.entries(records).flatMap(([of, record]) => (of.endsWith('.slug') ? [record] : [])));
  const organizations = await db('organizations')
    .whereIn('slug', [...slugs, HOUSE])
    .select('organization_id');
  for (const { organization_id } of organizations) {
    await joins(organization_id, removed);
    if (organization_id !== made.organization_id) await joins(organization_id, person);
  }
  const his = await token(removed);
  // As a member he does what they do; then he is removed.
  const asMember = { authorization: `Bearer ${his}`, 'svc-organization': HOUSE };
  expect((await fetch(`${world.url}/v1/agents/${agent.name}`, { headers: asMember })).status).toBe(200);
  await db('organization_members').where({ user_id: removed }).delete();
  const another = await addAgent(db, made.organization_id, { live: true });
  const ofAnother = await token(made.organization_id, { kind: 'agent_api', agent_id: another.id });
  const forRivals: Attacker = { token: await token(rival), kind: 'user', acts: OTHER };
  at = {
    ada: {
      'an owner of another organization, for it': forRivals,
      'a colleague, for the organization of both': { token: await token(colleague), kind: 'user', acts: CLUB },
    },
    house: {
      'an owner of another organization, for it': forRivals,
      'a removed member, a stranger now': { token: his, kind: 'user' },
      'a removed member, as if he were none': { token: his, kind: 'user', acts: HOUSE, refused: 'organization_not_yours' },
      'a token of another agent of it': { token: ofAnother, kind: 'api_token' },
    },
  };
  theirs = [rival, removed, colleague, rivals.organization_id, club.organization_id];
  await withoutCodes(world);
  await withoutCodes(house);
  before = await allRows(db);
});
afterAll(() => world.close());

/** A run of the account's agent, asked for by the account itself. */
async function aRun(user_id: string, { name = '', deploy_id = '' }: Record<string, string>): Promise<string> {
  const agent = await world.ctx.db('agents').where({ name }).first('agent_id');
  const row = runRow({ ctx: world.ctx, userId: user_id, agent: { id: agent?.agent_id ?? '', name }, deployId: deploy_id });
  await world.ctx.db('runs').insert(row);
  return row.run_id;
}

const tenants = [['ada', () => world] as const, ['house', () => house] as const] as const;

describe.each(tenants)('%s', (tenant, worldOf) => {
  test('declared operations: nobody else reads them, and what they hide is 404', async () => {
    const wrong: unknown[] = [];
    for (const [who, { token, kind, acts, refused }] of Object.entries(at[tenant])) {
      const marks = marksOf(worldOf());
      for (const route of ROUTES) {
        const response = await callRoute(worldOf(), route, undefined, { token, ...(acts !== undefined && { headers: { 'svc-organization': acts } }) });
        const text = await textOf(response);
        const shown = response.ok ? shownIn(worldOf(), marks, text + [...response.headers.values()].join(), route.id) : [];
        const told = isHead(route) || response.ok ? undefined : refusalIn(response, text);
        const declared = refusalOfKind(route.spec, kind);
        const right =
          isHead(route) ||
          (declared !== undefined && declared.status === response.status) ||
          (refused !== undefined && told?.code === refused) ||
          !hidesRecords(route) ||
          told?.status === 404;
        if (response.status >= 500 || shown.length > 0 || !right) wrong.push([who, route.id, response.status, told?.code, shown]);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('what running agents ask', async () => {
    const wrong: unknown[] = [];
    for (const [who, { token, acts }] of Object.entries(at[tenant])) {
      const { records, url } = worldOf();
      const marks = marksOf(worldOf());
      for (const route of RUN_ROUTES) {
        const response = await callRunRoute(route, { url, records, token, ...(acts !== undefined && { headers: { 'svc-organization': acts } }) });
        const text = await textOf(response);
        const shown = response.ok ? marks.filter((mark) => text.includes(mark)) : [];
        if (shown.length > 0 || ![401, 403, 404].includes(response.status)) wrong.push([who, route.id, response.status, text.slice(0, 200), shown]);
      }
    }
    expect(wrong).toEqual([]);
  });
});

test('no row of anybody else differs, and none was made that names what is theirs', async () => {
  const after = await allRows(world.ctx.db);
  const marks = new Set([...marksOf(world), ...marksOf(house)]);
  const gone = [...before.keys()].filter((row) => !SHARED.test(row) && !after.has(row) && !theirs.some((one) => row.includes(one)));
  const made = [...after.keys()].filter((row) => !before.has(row) && [...marks].some((mark) => row.includes(mark)));
  expect({ gone, made }).toEqual({ gone: [], made: [] });
});

// A walk in which everything is 404 for everybody proves nothing.
test('its owner finds what is hidden from them', async () => {
  const reads = ROUTES.filter((route) => locate(route.spec).method === 'GET' && hidesRecords(route));
  expect(reads.length).toBeGreaterThan(50);
  const missing: string[] = [];
  for (const route of reads) {
    const response = await callRoute(house, route, undefined, { token: owner, headers: { 'svc-organization': HOUSE } });
    await response.body?.cancel();
    if (response.status === 404) missing.push(route.id);
  }
  expect(missing).toEqual([]);
});

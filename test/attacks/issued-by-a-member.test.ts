// A member who is removed, suspended or given a lower role, and wants to stay by what they issued while they
// could: invitations, tokens, links, grants, schedules.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiToken } from '#core/identity/api-token/create.ts';
import { createIntegrationLink } from '#core/identity/integration-link/create.ts';
import { platformTokenActor } from '#core/identity/platform-token.ts';
import { acceptInvitation } from '#core/orgs/member/accept.ts';
import { updateMember } from '#core/orgs/member/change.ts';
import { inviteMember, resendInvitation } from '#core/orgs/member/invite.ts';
import { removeMember } from '#core/orgs/member/remove.ts';
import { actingAs, freeSeats, joined, testOrganization, type TestOrganization } from '#core/orgs/test/organization.ts';
import { createDatabase } from '#core/agents/database/create.ts';
import { getDatabase } from '#core/agents/database/list.ts';
import { revealDatabaseUrl } from '#core/agents/database/reveal.ts';
import { provisionAll, serveDatabases } from '#core/agents/database/test/served.ts';
import { createSchedule } from '#core/conversation/schedule/create.ts';
import { mintGrant } from '#core/workspace/grant/mint.ts';
import { ScheduleIn } from '#contract/conversation/schedules.ts';
import { testContext, type TestContext } from '../support/context.ts';
import { setSetting } from '../support/settings.ts';
import { addAgent } from '../support/verbs.ts';

let t: TestContext;
let acme: TestOrganization;
beforeAll(async () => {
  t = await testContext();
  await freeSeats(t.ctx, 1_000);
  acme = await testOrganization(t);
  await setSetting(t.ctx, 'databases_per_account', 100);
});
afterAll(() => t.close());

type Member = Awaited<ReturnType<typeof joined>>;
const secretOf = (url: string | null): string => url?.split('#')[1] ?? '';
let nth = 0;
const gone = expect.objectContaining({ code: 'invitation_gone' });

const ENDS: Record<string, (who: Member) => Promise<unknown>> = {
  removed: ({ memberId }) => removeMember(acme.owner, { slug: acme.slug, member_id: memberId }),
  suspended: ({ memberId }) => updateMember(acme.owner, { slug: acme.slug, member_id: memberId, state: 'suspended' }),
  'made an auditor': ({ memberId }) => updateMember(acme.owner, { slug: acme.slug, member_id: memberId, role: 'auditor' }),
};

describe.each(Object.entries(ENDS))('%s', (_, end) => {
  test('an admin does not come back by an invitation to another address; another admin may send it again', async () => {
    const [mallory, other] = [await joined(t, acme, 'admin'), await t.user('other')];
    const { invitation_url, member_id } = await inviteMember(mallory, { slug: acme.slug, email: other.actor.email, role: 'admin' });
    await end(mallory);
    await expect(acceptInvitation(other, { token: secretOf(invitation_url) })).rejects.toThrow(gone);
    const again = await resendInvitation(acme.owner, { slug: acme.slug, member_id });
    expect(await acceptInvitation(other, { token: secretOf(again.invitation_url) })).toMatchObject({ role: 'admin' });
  });

  test('a developer opens no agent by a token or a link of theirs; what others made goes on', async () => {
    const mallory = await actingAs(await joined(t, acme, 'developer'), acme.slug);
    const owner = await actingAs(acme.owner, acme.slug);
    const { name } = await addAgent(t.ctx.db, acme.id, { live: true });
    const token = { name, label: 'mine', scopes: null, expires_in_days: 30 };
    const [mine, theirs] = [await createApiToken(mallory, token), await createApiToken(owner, token)];
    const link = await createIntegrationLink(mallory, { name });
    const opens = async (secret: string): Promise<boolean> => (await platformTokenActor(t.ctx.db, secret, t.ctx.clock())) !== undefined;
    const all = async () => [await opens(mine.token), await opens(link.token), await opens(theirs.token)];
    expect(await all()).toEqual([true, true, true]);
    await end(mallory);
    expect(await all()).toEqual([false, false, true]);
  });

  test('a developer who has seen the password of a database does not come in with it: it is replaced, and no other', async () => {
    await serveDatabases(t);
    nth += 1;
    const [mallory, ben] = [await joined(t, acme, 'developer'), await joined(t, acme, 'developer')];
    const [she, he] = [await actingAs(mallory, acme.slug), await actingAs(ben, acme.slug)];
    const [seen, unseen, rotated] = [await createDatabase(he, { name: `seen-${nth}` }), await createDatabase(he, { name: `unseen-${nth}` }), await createDatabase(he, { name: `rotated-${nth}` })]; // prettier-ignore
    await provisionAll(t);
    for (const { project_id } of [seen, rotated]) await revealDatabaseUrl(she, { project_id, branch: 'main', access: 'owner' });
    await revealDatabaseUrl(he, { project_id: unseen.project_id, branch: 'main', access: 'owner' });
    // Since she saw it, it has become another.
    await t.ctx.db('database_roles').whereIn('branch_id', t.ctx.db('database_branches').where({ project_id: rotated.project_id }).select('branch_id')).update({ rotated_at: t.ctx.db.raw(`clock_timestamp()`) }); // prettier-ignore
    await end(mallory);
    const rotating = async ({ project_id }: { project_id: string }): Promise<string[]> =>
      (await getDatabase(he, { project_id })).branches.flatMap(({ roles }) => roles.filter((role) => role.rotating).map(({ access }) => access));
    expect([await rotating(seen), await rotating(unseen), await rotating(rotated)]).toEqual([['owner'], [], []]);
  });

  test('an operator leaves no grant of files and no schedule that runs', async () => {
    const mallory = await actingAs(await joined(t, acme, 'operator'), acme.slug);
    const { name } = await addAgent(t.ctx.db, acme.id, { live: true });
    const asked = { userId: acme.id, audience: name, allow: ['**'], deny: [], mode: 'read_only', outputsPrefix: null, ttlSeconds: 600 } as const;
    const { grant } = await t.ctx.db.transaction((tx) => mintGrant({ ...mallory, db: tx }, asked));
    const { grant_id } = grant;
    const { schedule_id } = await createSchedule(mallory, ScheduleIn.parse({ cron: '0 0 1 1 *', target: { kind: 'prompt', prompt: 'hello' } }));
    await end(mallory);
    expect(await t.ctx.db('grants').where({ grant_id }).first('revoked_at')).not.toEqual({ revoked_at: null });
    expect(await t.ctx.db('schedules').where({ schedule_id }).first('paused')).toEqual({ paused: true });
  });
});

test('an owner who is made an admin makes no owner by an invitation from before, and an admin by one still', async () => {
  const mallory = await joined(t, acme, 'owner');
  const [one, two] = [await t.user('one'), await t.user('two')];
  const [asOwner, asAdmin] = [
    await inviteMember(mallory, { slug: acme.slug, email: one.actor.email, role: 'owner' }),
    await inviteMember(mallory, { slug: acme.slug, email: two.actor.email, role: 'admin' }),
  ];
  await updateMember(acme.owner, { slug: acme.slug, member_id: mallory.memberId, role: 'admin' });
  await expect(acceptInvitation(one, { token: secretOf(asOwner.invitation_url) })).rejects.toThrow(gone);
  expect(await acceptInvitation(two, { token: secretOf(asAdmin.invitation_url) })).toMatchObject({ role: 'admin' });
});

// Who is in an organization, and as what; invitations.
import { Option } from 'clipanion';
import { ORGANIZATION_ROLES } from '#contract/states.ts';
import type { Api } from '../../lib/api.ts';
import { oneOf } from '../../lib/api-command.ts';
import { UsageError } from '../../lib/errors.ts';
import { type Answer, command, type Row } from '../../lib/command.ts';
import { plain, table } from '../../lib/output.ts';

type Member = Row<Answer<'organizations.members'>>;

const PAGE = 200;

export const commands = [
  command('orgs members list', {
    about: 'list members and open invitations',
    examples: [['One organization', 'svc orgs members list acme']],
    arguments: { slug: 'SLUG' },
    route: 'organizations.members',
    send: ({ slug }) => ({ params: { slug } }),
    rows: () => Infinity,
    page: PAGE,
    json: ({ items }) => items,
    lines: ({ items }) =>
      table(
        ['EMAIL', 'ROLE', 'STATE', 'FROM', 'NAME'],
        items.map(({ email, name, role, state, source }) => [email, role, state, source, plain(name ?? '')]),
      ),
  }),
  command('orgs invite', {
    about: 'invite somebody by their address; again: with a new link',
    details: `Roles: ${ORGANIZATION_ROLES.join(', ')}. They get a mail; the link in it works once, signed in with that address.`,
    examples: [['As a developer', 'svc orgs invite acme ben@example.com developer']],
    arguments: { slug: 'SLUG', email: 'EMAIL', role: 'ROLE' },
    route: 'organizations.invite',
    send: ({ slug, email, role }) => ({ params: { slug }, body: { email, role: oneOf('ROLE', role, ORGANIZATION_ROLES) } }),
    lines: ({ invitation_url }) => [invitation_url ?? ''],
    hint: ({ expires_at, email }) => `The link works once, until ${expires_at ?? ''}, only for ${email}.`,
  }),
  command('orgs members set', {
    about: 'change the role of a member',
    details: `Roles: ${ORGANIZATION_ROLES.join(', ')}.`,
    examples: [['To operator', 'svc orgs members set acme ben@example.com operator']],
    arguments: { slug: 'SLUG', member: 'MEMBER', role: 'ROLE' },
    route: 'organizations.updateMember',
    send: async ({ slug, member, role }, { client }) => ({
      params: { slug, member_id: await memberId(client, slug, member) },
      body: { role: oneOf('ROLE', role, ORGANIZATION_ROLES) },
    }),
    lines: ({ email, role }) => [`${email} is ${role}.`],
  }),
  command('orgs members suspend', {
    about: 'take all rights from a member, who stays listed; --end gives them back',
    examples: [['For now', 'svc orgs members suspend acme ben@example.com']],
    arguments: { slug: 'SLUG', member: 'MEMBER' },
    options: () => ({ end: Option.Boolean('--end', false, { description: 'they have their rights again' }) }),
    route: 'organizations.updateMember',
    send: async ({ slug, member, end }, { client }) => ({
      params: { slug, member_id: await memberId(client, slug, member) },
      body: { state: end ? ('active' as const) : ('suspended' as const) },
    }),
    lines: ({ email, state }) => [`${email} is ${state}.`],
  }),
  command('orgs members delete', {
    about: 'remove a member, or take an invitation back',
    details: 'What they made for the organization stays with it.',
    examples: [['By address', 'svc orgs members delete acme ben@example.com']],
    arguments: { slug: 'SLUG', member: 'MEMBER' },
    route: 'organizations.removeMember',
    send: async ({ slug, member }, { client }) => ({ params: { slug, member_id: await memberId(client, slug, member) } }),
    json: (_, { member }) => ({ removed: member }),
    lines: (_, { member }) => [`${member} is no member any more.`],
  }),
  command('orgs leave', {
    about: 'leave an organization',
    examples: [['One', 'svc orgs leave acme']],
    arguments: { slug: 'SLUG' },
    route: 'organizations.removeMember',
    send: async ({ slug }, { client }) => {
      const me = await client.auth.me();
      const mine = (await membersOf(client, slug)).find(({ user_id }) => user_id === me.user_id);
      if (!mine) throw new UsageError(`You are no member of ${slug}.`);
      return { params: { slug, member_id: mine.member_id } };
    },
    json: (_, { slug }) => ({ left: slug }),
    lines: (_, { slug }) => [`You have left ${slug}.`],
  }),
  command('orgs accept', {
    about: 'accept an invitation, signed in with the address that was invited',
    examples: [['By the link of the mail', 'svc orgs accept "https://svc.example.com/invitation#mem_…"']],
    arguments: { link: 'LINK' },
    route: 'organizations.acceptInvitation',
    send: ({ link }) => ({ body: { token: link.slice(link.indexOf('#') + 1) } }),
    lines: ({ role, slug }) => [`You are ${role} of ${slug}.`],
    hint: ({ slug }) => `Act for it with --org ${slug}, or SVC_ORG=${slug}.`,
  }),
  command('orgs join', {
    about: 'ask to join an organization that takes people of your domain; without SLUG: list them',
    examples: [
      ['Which', 'svc orgs join'],
      ['One', 'svc orgs join acme'],
    ],
    arguments: { slug: '[SLUG]' },
    route: ({ slug }) => (slug === undefined ? 'organizations.invitations' : 'organizations.join'),
    send: ({ slug }) => (slug === undefined ? {} : { body: { slug } }),
    json: (answer) => ('items' in answer ? answer.items : answer),
    lines: (answer) =>
      'items' in answer ? answer.items.map(({ slug, name, role }) => `${slug}  ${name} (${role})`) : [`A mail to ${answer.email} has the link.`],
  }),
];

async function membersOf(client: Api, slug: string): Promise<Member[]> {
  const members: Member[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await client.organizations.members({ params: { slug }, query: { limit: PAGE, ...(cursor !== undefined && { cursor }) } });
    members.push(...page.items);
    if (page.next_cursor === null) return members;
    cursor = page.next_cursor;
  }
}

/** By address, or by id. @throws UsageError */
async function memberId(client: Api, slug: string, who: string): Promise<string> {
  if (who.startsWith('mem_')) return who;
  const member = (await membersOf(client, slug)).find(({ email }) => email.toLowerCase() === who.toLowerCase());
  if (!member) throw new UsageError(`${slug} has no member or invitation ${who}. List them: svc orgs members list ${slug}`);
  return member.member_id;
}

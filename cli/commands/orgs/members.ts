// Who is in an organization, and as what.
import { Command, Option } from 'clipanion';
import { ORGANIZATION_ROLES } from '#contract/states.ts';
import { ApiCommand, oneOf } from '../../command-base.ts';
import { UsageError } from '../../errors.ts';
import { plain, table } from '../../output.ts';

abstract class MembersCommand extends ApiCommand {
  slug = Option.String({ name: 'SLUG' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  protected async members() {
    const client = this.client().organizations;
    const found: Awaited<ReturnType<typeof client.members>>['items'] = [];
    for (let cursor: string | undefined; ;) {
      const page = await client.members({ params: { slug: this.slug }, query: { limit: 200, ...(cursor !== undefined && { cursor }) } });
      found.push(...page.items);
      if (page.next_cursor === null) return found;
      cursor = page.next_cursor;
    }
  }

  /** By address, or by id. */
  protected async memberId(who: string): Promise<string> {
    if (who.startsWith('mem_')) return who;
    const found = (await this.members()).find(({ email }) => email.toLowerCase() === who.toLowerCase());
    if (!found) throw new UsageError(`${this.slug} has no member or invitation ${who}. List them: svc orgs members ${this.slug}`);
    return found.member_id;
  }
}

export class OrgsMembersCommand extends MembersCommand {
  static override paths = [['orgs', 'members']];
  static override usage = Command.Usage({ description: 'list members and open invitations', examples: [['One organization', 'svc orgs members acme']] });

  async execute(): Promise<number> {
    const items = await this.members();
    const rows = items.map(({ email, name, role, state, source }) => [email, role, state, source, plain(name ?? '')]);
    this.output(this.json).result(items, () => table(['EMAIL', 'ROLE', 'STATE', 'FROM', 'NAME'], rows));
    return 0;
  }
}

export class OrgsInviteCommand extends MembersCommand {
  static override paths = [['orgs', 'invite']];
  static override usage = Command.Usage({
    description: 'invite somebody by their address; again: with a new link',
    details: `Roles: ${ORGANIZATION_ROLES.join(', ')}. They get a mail; the link in it works once, signed in with that address.`,
    examples: [['As a developer', 'svc orgs invite acme ben@example.com developer']],
  });

  email = Option.String({ name: 'EMAIL' });
  role = Option.String({ name: 'ROLE' });

  async execute(): Promise<number> {
    const body = { email: this.email, role: oneOf('ROLE', this.role, ORGANIZATION_ROLES) };
    const invited = await this.client().organizations.invite({ params: { slug: this.slug }, body });
    const output = this.output(this.json);
    output.note(`The link works once, until ${invited.expires_at ?? ''}, only for ${invited.email}.`);
    output.result(invited, [invited.invitation_url ?? '']);
    return 0;
  }
}

export class OrgsRoleCommand extends MembersCommand {
  static override paths = [['orgs', 'role']];
  static override usage = Command.Usage({
    description: 'change the role of a member',
    details: `Roles: ${ORGANIZATION_ROLES.join(', ')}.`,
    examples: [['To operator', 'svc orgs role acme ben@example.com operator']],
  });

  member = Option.String({ name: 'MEMBER' });
  role = Option.String({ name: 'ROLE' });

  async execute(): Promise<number> {
    const params = { slug: this.slug, member_id: await this.memberId(this.member) };
    const changed = await this.client().organizations.updateMember({ params, body: { role: oneOf('ROLE', this.role, ORGANIZATION_ROLES) } });
    this.output(this.json).result(changed, [`${changed.email} is ${changed.role}.`]);
    return 0;
  }
}

export class OrgsSuspendCommand extends MembersCommand {
  static override paths = [['orgs', 'suspend']];
  static override usage = Command.Usage({
    description: 'take all rights from a member, who stays listed; --end gives them back',
    examples: [['For now', 'svc orgs suspend acme ben@example.com']],
  });

  member = Option.String({ name: 'MEMBER' });
  end = Option.Boolean('--end', false, { description: 'they have their rights again' });

  async execute(): Promise<number> {
    const params = { slug: this.slug, member_id: await this.memberId(this.member) };
    const changed = await this.client().organizations.updateMember({ params, body: { state: this.end ? 'active' : 'suspended' } });
    this.output(this.json).result(changed, [`${changed.email} is ${changed.state}.`]);
    return 0;
  }
}

export class OrgsRemoveCommand extends MembersCommand {
  static override paths = [['orgs', 'remove']];
  static override usage = Command.Usage({
    description: 'remove a member, or take an invitation back',
    details: 'What they made for the organization stays with it.',
    examples: [['By address', 'svc orgs remove acme ben@example.com']],
  });

  member = Option.String({ name: 'MEMBER' });

  async execute(): Promise<number> {
    await this.client().organizations.removeMember({ params: { slug: this.slug, member_id: await this.memberId(this.member) } });
    this.output(this.json).result({ removed: this.member }, [`${this.member} is no member any more.`]);
    return 0;
  }
}

export class OrgsLeaveCommand extends MembersCommand {
  static override paths = [['orgs', 'leave']];
  static override usage = Command.Usage({ description: 'leave an organization', examples: [['One', 'svc orgs leave acme']] });

  async execute(): Promise<number> {
    const me = await this.client().auth.me();
    const mine = (await this.members()).find(({ user_id }) => user_id === me.user_id);
    if (!mine) throw new UsageError(`You are no member of ${this.slug}.`);
    await this.client().organizations.removeMember({ params: { slug: this.slug, member_id: mine.member_id } });
    this.output(this.json).result({ left: this.slug }, [`You have left ${this.slug}.`]);
    return 0;
  }
}

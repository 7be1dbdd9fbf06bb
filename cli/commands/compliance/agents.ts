import { Command, Option } from 'clipanion';
import type { AgentProfileOut } from '#contract/orgs/compliance.ts';
import { RISK_TIERS } from '#contract/states.ts';
import { ApiCommand, oneOf } from '../../lib/api-command.ts';
import { CliError } from '../../lib/errors.ts';
import { plain, table } from '../../lib/output.ts';

const PAGE = 200;

export class ComplianceAgentsCommand extends ApiCommand {
  static override paths = [['compliance', 'agents']];
  static override usage = Command.Usage({
    description: 'list the agents of an organization with their risk, or rate one',
    details: 'Fields without an option stay unchanged. An agent whose risk is unacceptable is removed from the catalog and cannot be deployed or published.',
    examples: [
      ['All of them, with what is missing', 'svc compliance agents acme'],
      ['Rate one', 'svc compliance agents acme text-kit --tier high --purpose "Reads invoices" --oversight "Ada stops it: svc delete text-kit"'],
    ],
  });

  slug = Option.String({ name: 'SLUG' });
  agent = Option.String({ required: false, name: 'AGENT' });
  tier = Option.String('--tier', { description: RISK_TIERS.join(', ') });
  purpose = Option.String('--purpose', { description: 'its purpose' });
  oversight = Option.String('--oversight', { description: 'who oversees it, and how they stop it' });
  notes = Option.String('--notes', { description: 'further notes' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const agents = await this.#all();
    const output = this.output(this.json);
    if (this.agent === undefined) {
      if (agents.length === 0) output.note('The organization has no agents.');
      output.result(agents, () => (agents.length === 0 ? [] : table(['AGENT', 'RISK', 'LIVE', 'MISSING'], agents.map((one) => [one.agent, one.risk_tier, one.live ? 'yes' : 'no', plain(one.gaps.join(' ')) || '-'])))); // prettier-ignore
      return 0;
    }
    const before = agents.find(({ agent }) => agent === this.agent);
    if (!before) throw new CliError(`The organization has no agent ${this.agent}: list its agents with svc compliance agents ${this.slug}`);
    const changes = this.tier !== undefined || this.purpose !== undefined || this.oversight !== undefined || this.notes !== undefined;
    const shown = changes ? await this.#rated(before) : before;
    output.result(shown, () => [
      `${shown.agent}: ${shown.risk_tier}${shown.version === 0 ? '' : `, version ${shown.version} of ${shown.updated_at}`}`,
      `Purpose:    ${plain(shown.intended_purpose) || '-'}`,
      `Oversight:  ${plain(shown.human_oversight) || '-'}`,
      ...(shown.notes === '' ? [] : [`Notes:      ${plain(shown.notes)}`]),
      ...shown.gaps.map((gap) => output.bad(`Missing:    ${plain(gap)}`)),
    ]);
    return 0;
  }

  #rated(before: AgentProfileOut): Promise<AgentProfileOut> {
    const body = {
      risk_tier: this.tier === undefined ? before.risk_tier : oneOf('--tier', this.tier, RISK_TIERS),
      intended_purpose: this.purpose ?? before.intended_purpose,
      human_oversight: this.oversight ?? before.human_oversight,
      notes: this.notes ?? before.notes,
      version: before.version,
    };
    return this.client().compliance.putAgent({ params: { slug: this.slug, agent_name: before.agent }, body });
  }

  async #all(): Promise<AgentProfileOut[]> {
    const items: AgentProfileOut[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await this.client().compliance.agents({ params: { slug: this.slug }, query: { limit: PAGE, ...(cursor ? { cursor } : {}) } });
      items.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor);
    return items;
  }
}

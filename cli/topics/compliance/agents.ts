// The agents of an organization, and how risky each is.
import { Option } from 'clipanion';
import type { AgentProfileOut } from '#contract/orgs/compliance.ts';
import { RISK_TIERS } from '#contract/states.ts';
import type { Api } from '../../lib/api.ts';
import { oneOf } from '../../lib/api-command.ts';
import { customCommand } from '../../lib/command.ts';
import { CliError } from '../../lib/errors.ts';
import { type Output, plain, table } from '../../lib/output.ts';

const PAGE = 200;

async function agentsOf({ compliance }: Api, slug: string): Promise<AgentProfileOut[]> {
  const items: AgentProfileOut[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await compliance.agents({ params: { slug }, query: { limit: PAGE, ...(cursor ? { cursor } : {}) } });
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor);
  return items;
}

function profileLines(shown: AgentProfileOut, output: Output): string[] {
  return [
    `${shown.agent}: ${shown.risk_tier}${shown.version === 0 ? '' : `, version ${shown.version} of ${shown.updated_at}`}`,
    `Purpose:    ${plain(shown.intended_purpose) || '-'}`,
    `Oversight:  ${plain(shown.human_oversight) || '-'}`,
    ...(shown.notes === '' ? [] : [`Notes:      ${plain(shown.notes)}`]),
    ...shown.gaps.map((gap) => output.bad(`Missing:    ${plain(gap)}`)),
  ];
}

function tableOf(agents: readonly AgentProfileOut[]): string[] {
  if (agents.length === 0) return [];
  const rows = agents.map((one) => [one.agent, one.risk_tier, one.live ? 'yes' : 'no', plain(one.gaps.join(' ')) || '-']);
  return table(['AGENT', 'RISK', 'LIVE', 'MISSING'], rows);
}

export const agents = customCommand('compliance agents', {
  about: 'list the agents of an organization with their risk, or rate one',
  details: 'Fields without an option stay unchanged. An agent whose risk is unacceptable is removed from the catalog and cannot be deployed or published.',
  examples: [
    ['All of them, with what is missing', 'svc compliance agents acme'],
    ['Rate one', 'svc compliance agents acme text-kit --tier high --purpose "Reads invoices" --oversight "Ada stops it: svc delete text-kit"'],
  ],
  arguments: { slug: 'SLUG', agent: '[AGENT]' },
  options: () => ({
    tier: Option.String('--tier', { description: RISK_TIERS.join(', ') }),
    purpose: Option.String('--purpose', { description: 'its purpose' }),
    oversight: Option.String('--oversight', { description: 'who oversees it, and how they stop it' }),
    notes: Option.String('--notes', { description: 'further notes' }),
  }),
  run: async ({ slug, agent, tier, purpose, oversight, notes }, { client, output }) => {
    const agents = await agentsOf(client, slug);
    if (agent === undefined) {
      if (agents.length === 0) output.note('The organization has no agents.');
      return { agents, one: undefined };
    }
    const before = agents.find((one) => one.agent === agent);
    if (!before) throw new CliError(`The organization has no agent ${agent}: list its agents with svc compliance agents ${slug}`);
    if (tier === undefined && purpose === undefined && oversight === undefined && notes === undefined) return { agents, one: before };
    const body = {
      risk_tier: tier === undefined ? before.risk_tier : oneOf('--tier', tier, RISK_TIERS),
      intended_purpose: purpose ?? before.intended_purpose,
      human_oversight: oversight ?? before.human_oversight,
      notes: notes ?? before.notes,
      version: before.version,
    };
    return { agents, one: await client.compliance.putAgent({ params: { slug, agent_name: agent }, body }) };
  },
  json: ({ agents, one }) => one ?? agents,
  lines: ({ agents, one }, _, output) => (one ? profileLines(one, output) : tableOf(agents)),
});

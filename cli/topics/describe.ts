// The card of an agent, and its newest deploys.
import { priceWords } from '#contract/money/price-words.ts';
import { fieldsOf } from '../ask/field.ts';
import { type Answer, customCommand } from '../lib/command.ts';
import { plain, table } from '../lib/output.ts';

const DEPLOYS = 5;
const MAX_ABOUT = 300;
type Agent = Answer<'agents.get'>;
type Deployments = Answer<'agents.deployments'>;

export const commands = [
  customCommand('describe', {
    about: 'show the card of an agent, its skills and requirements, and, if you own it, its newest deploys',
    examples: [
      ['The project in this folder', 'svc describe'],
      ['Another agent', 'svc describe text-kit'],
    ],
    ofProject: true,
    run: async ({ agent: name }, { client }) => {
      const agent = await client.agents.get({ params: { name } });
      const deployments = agent.mine ? await client.agents.deployments({ params: { name }, query: { limit: DEPLOYS } }) : [];
      return { ...agent, deployments };
    },
    lines: (agent) => [...aboutIt(agent), ...toolsOf(agent), ...deploysOf(agent.deployments)],
    hint: ({ name, card }) => {
      const tool = card?.skills[0];
      return tool ? `\nCall it with: svc call ${name} ${tool.id}${requiredOf(tool.input_schema)}` : `\n${name} is not live, so it has no tools yet.`;
    },
  }),
];

function aboutIt(agent: Agent): string[] {
  const { card } = agent;
  const rows: [string, string | undefined][] = [
    ['Name', agent.name],
    ['About', shortened(agent.description) || undefined],
    ['Version', agent.version ?? 'none yet'],
    ['State', agent.out_of_service ? `${agent.state}, out of service: ${agent.out_of_service.reason}` : agent.state],
    ['Listing', agent.visibility],
    ['Address', agent.url],
    ['MCP', card ? `${agent.url}/mcp` : undefined],
    ['Tags', agent.tags.join(', ') || undefined],
    ['Secrets', card?.required_secrets.join(', ') || undefined],
    ['Needs', card?.consumer_setup?.map(({ name, required }) => (required ? name : `${name} (optional)`)).join(', ') || undefined],
    ['Reaches', card?.runtime.egress.allow_hosts.join(', ') || undefined],
    ['Calls', String(agent.call_count)],
  ];
  return rows.flatMap(([label, text]) => (text === undefined ? [] : [`${label.padEnd(8)} ${plain(text)}`]));
}

/** Some MCP servers describe themselves by all their instructions. `--json` has the whole. */
function shortened(text: string): string {
  const line = plain(text);
  return line.length > MAX_ABOUT ? `${line.slice(0, MAX_ABOUT)}…` : line;
}

function toolsOf({ card, prices }: Agent): string[] {
  if (!card || card.skills.length === 0) return [];
  const of = new Map(prices.map((price) => [price.skill, priceWords(price)]));
  const rows = card.skills.map(({ id, description, input_schema: schema }) => [
    id,
    (fieldsOf(schema) ?? []).map(({ name, required }) => (required ? name : `[${name}]`)).join(' '),
    ...(of.size === 0 ? [] : [of.get(id) ?? 'nothing']),
    plain(description),
  ]);
  return ['', ...table(['TOOL', 'ARGUMENTS', ...(of.size === 0 ? [] : ['COSTS']), 'WHAT'], rows)];
}

function deploysOf(deployments: Deployments): string[] {
  if (deployments.length === 0) return [];
  const rows = deployments.map(({ number, state, version, created_at: at, error }) => [
    String(number),
    state,
    version ?? '-',
    at.slice(0, 19).replace('T', ' '),
    plain(error?.message.split('\n')[0] ?? ''),
  ]);
  return ['', ...table(['DEPLOY', 'STATE', 'VERSION', 'QUEUED (UTC)', 'WHY'], rows)];
}

function requiredOf(schema: Record<string, unknown>): string {
  return (fieldsOf(schema) ?? []).flatMap(({ name, required }) => (required ? [` ${name}=…`] : [])).join('');
}

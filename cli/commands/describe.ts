import { Command, Option } from 'clipanion';
import type { Api } from '../lib/api.ts';
import { priceWords } from '#contract/money/price-words.ts';
import { fieldsOf } from '../ask/field.ts';
import { ApiCommand } from '../lib/api-command.ts';
import { plain, table } from '../lib/output.ts';
import { agentName } from '../project/name.ts';

const DEPLOYS = 5;
const MAX_ABOUT = 300;
type Agent = Awaited<ReturnType<Api['agents']['get']>>;
type Deployments = Awaited<ReturnType<Api['agents']['deployments']>>;

export class DescribeCommand extends ApiCommand {
  static override paths = [['describe']];
  static override usage = Command.Usage({
    description: 'show the card of an agent, its skills and requirements, and, if you own it, its newest deploys',
    examples: [
      ['The project in this folder', 'svc describe'],
      ['Another agent', 'svc describe text-kit'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const params = { name: await agentName(this.agent, this.project) };
    const client = this.client();
    const agent = await client.agents.get({ params });
    const deployments = agent.mine ? await client.agents.deployments({ params, query: { limit: DEPLOYS } }) : [];
    const output = this.output(this.json);
    output.result({ ...agent, deployments }, () => [...aboutIt(agent), ...toolsOf(agent), ...deploysOf(deployments)]);
    const tool = agent.card?.skills[0];
    if (tool) output.hint(`\nCall it with: svc call ${agent.name} ${tool.id}${requiredOf(tool.input_schema)}`);
    else output.hint(`\n${agent.name} is not live, so it has no tools yet.`);
    return 0;
  }
}

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
    plain(description).slice(0, 80),
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
    plain(error?.message.split('\n')[0] ?? '').slice(0, 120),
  ]);
  return ['', ...table(['DEPLOY', 'STATE', 'VERSION', 'QUEUED (UTC)', 'WHY'], rows)];
}

function requiredOf(schema: Record<string, unknown>): string {
  return (fieldsOf(schema) ?? []).flatMap(({ name, required }) => (required ? [` ${name}=…`] : [])).join('');
}

// How an agent is, and what its owner can do about it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, customCommand } from '../lib/command.ts';
import { agentsProjectOption } from '../lib/options.ts';
import { plain, table } from '../lib/output.ts';
import { agentName } from '../project/name.ts';

type Agent = Answer<'agents.mineOne'>;
type Deployment = Answer<'agents.deployment'>;
type Repair = Answer<'agents.selfHealing'>['repairs'][number];

export const commands = [
  customCommand('status', {
    about: 'show the state of your agent: its live version, its last deploy, its problems and their remedies',
    details: 'Without a name the agent of the project in this folder; outside a project all of yours, one line each.',
    examples: [
      ['The project in this folder, or all of yours', 'svc status'],
      ['One agent', 'svc status reporter'],
    ],
    arguments: { agent: '[AGENT]' },
    options: () => ({ project: agentsProjectOption() }),
    run: async ({ agent: typed, project }, { client, output }) => {
      if (typed === undefined && project === '.' && !existsSync(join(project, 'svc.yaml'))) {
        const agents = await client.agents.mine();
        output.hint(agents.length === 0 ? 'You have no agents yet. Make one with: svc init NAME --language typescript' : 'More about one: svc status AGENT');
        return agents;
      }
      const name = await agentName(typed, project);
      const agent = await client.agents.mineOne({ params: { name } });
      const { last_deployment: last } = agent;
      const [newest, { repairs }] = await Promise.all([
        last && client.agents.deployment({ params: { name, deploy_id: last.deploy_id } }),
        client.agents.selfHealing({ params: { name }, query: { limit: 1 } }),
      ]);
      const repair = repairs[0] ?? null;
      return { agent, newest, repair, remedies: remediesOf(agent, newest, repair) };
    },
    json: (shown) => (Array.isArray(shown) ? shown : { ...shown.agent, last_deployment: shown.newest, last_repair: shown.repair, remedies: shown.remedies }),
    lines: (shown, _, output) => {
      if (!Array.isArray(shown))
        return [...aboutIt(shown.agent, shown.newest, shown.repair), ...shown.remedies.map((remedy) => `Fix      ${output.advice(remedy)}`)];
      return shown.length === 0 ? [] : table(['NAME', 'STATE', 'VERSION', 'LAST DEPLOY', 'URL'], shown.map(rowOf));
    },
  }),
];

function rowOf(agent: Agent): string[] {
  const last = agent.last_deployment;
  return [agent.name, stateOf(agent), agent.version ?? '-', last ? `${last.state} ${minute(last.created_at)}` : 'never', agent.url];
}

function stateOf({ state, out_of_service }: Agent): string {
  return out_of_service ? 'out of service' : state;
}

function aboutIt(agent: Agent, newest: Deployment | null, repair: Repair | null): string[] {
  const rows: [string, string | undefined][] = [
    ['Name', agent.name],
    ['State', agent.out_of_service ? `out of service since ${minute(agent.out_of_service.since)}: ${agent.out_of_service.reason}` : agent.state],
    ['Live', agent.version ?? 'nothing yet'],
    ['Address', agent.url],
    ['Listing', agent.visibility],
    ['Runs at', agent.imported ? `${agent.imported.endpoint} (${agent.imported.protocol} ${agent.imported.protocol_version})` : undefined],
    ['Answered', agent.imported ? minute(agent.imported.answered_at) : undefined],
    ['Changed', agent.imported?.changed_at ? `${minute(agent.imported.changed_at)}: ${agent.imported.changes.join('; ')}` : undefined],
    ['Deploy', newest ? `${newest.number}, ${newest.state}, ${newest.version ?? 'no version'}, ${minute(newest.created_at)}` : 'never'],
    ['Runs on', newest?.runs_on ?? undefined],
    ['Error', newest?.error?.message.split('\n')[0]],
    ['Repair', repair ? repaired(repair) : undefined],
    ...(newest?.warnings ?? []).map(({ message }): [string, string] => ['Warning', message]),
  ];
  return rows.flatMap(([label, text]) => (text === undefined ? [] : [`${label.padEnd(8)} ${plain(text)}`]));
}

function repaired({ state, error, outcome, missing_secrets, created_at }: Repair): string {
  const why = `${minute(created_at)}, after ${error.code}`;
  if (state === 'awaiting_secret') return `started ${why}; it waits for ${missing_secrets.join(', ')}`;
  return outcome === null ? `started ${why}; under way` : `${state.replace('_', ' ')}, ${why}: ${outcome.message}`;
}

/** What the owner can do now, the most urgent first; empty: all is well. */
function remediesOf({ name, state, version, out_of_service, imported }: Agent, newest: Deployment | null, repair: Repair | null): string[] {
  const remedies: string[] = [];
  if (newest?.state === 'failed')
    remedies.push(
      `read why it failed: svc logs ${name}${version === null ? '' : `; version ${version} still serves`}`,
      'then fix it and deploy again: svc deploy',
    );
  else if (state === 'registered') remedies.push('deploy it from its project: svc deploy');
  else if (state === 'deploying') remedies.push(`follow the deploy: svc logs ${name} --follow`);
  if (out_of_service && imported)
    remedies.push(`fix it where it runs; its credentials: svc auth status ${name}`, `then import it again: svc import ${imported.url} --name ${name}`);
  else if (out_of_service)
    remedies.push(`its health check took it out of service; read its log: svc logs ${name}`, `or make the previous version live: svc rollback ${name}`);
  if (repair?.state === 'needs_human' && newest !== null && newest.created_at < repair.created_at)
    remedies.push(`read why it failed: svc logs ${name}`, 'then fix it and deploy again: svc deploy');
  if (repair?.state === 'awaiting_secret')
    for (const secret of repair.missing_secrets) remedies.push(`store the secret: svc secrets set ${name} ${plain(secret)}`);
  for (const { code, message } of newest?.warnings ?? []) {
    const secret = code === 'secret_missing' ? /the secret (\S+),/.exec(message)?.[1] : undefined;
    if (secret !== undefined) remedies.push(`store the secret: svc secrets set ${name} ${plain(secret)} --restart`);
  }
  return remedies;
}

function minute(instant: string): string {
  return `${instant.slice(0, 16).replace('T', ' ')} UTC`;
}

// An earlier deploy of an agent is made live again.
import { Option } from 'clipanion';
import { type Answer, customCommand, type Row } from '../lib/command.ts';
import { CliError } from '../lib/errors.ts';
import { agentsProjectOption } from '../lib/options.ts';
import { agentName } from '../project/name.ts';

type Deployment = Row<Answer<'agents.deployments'>>;

/** Without `to`: what was live before. @throws CliError where there is none */
function targetOf(name: string, to: string | undefined, deployments: readonly Deployment[]): Deployment {
  const target =
    to === undefined
      ? deployments.find(({ state }) => state === 'superseded')
      : (deployments.find((one) => one.deploy_id === to || String(one.number) === to) ?? deployments.find((one) => one.version === to && one.live_at !== null));
  if (target) return target;
  throw new CliError(
    to === undefined ? `Nothing of ${name} was live before what is live now.` : `${name} has no deploy "${to}". See its deploys with: svc describe ${name}`,
  );
}

export const commands = [
  customCommand('rollback', {
    about: 'make an earlier deploy of your agent live again',
    details:
      'Without --to it is the one that was live before. It becomes a new deploy with the source of the old one; secrets and what callers set stay as they are. svc describe lists the numbers. Exits 1 when it fails; ctrl-C leaves it running.',
    examples: [
      ['To what was live before', 'svc rollback greeter'],
      ['To a certain one', 'svc rollback greeter --to 3'],
    ],
    arguments: { agent: '[AGENT]' },
    options: () => ({
      to: Option.String('--to', { description: 'number, version or id (dep_…) of the deploy' }),
      project: agentsProjectOption(),
      wait: Option.Boolean('--wait', true, { description: 'wait until it is live' }),
    }),
    run: async ({ agent, to, project, wait }, { client, output }) => {
      const name = await agentName(agent, project);
      const target = targetOf(name, to, await client.agents.deployments({ params: { name }, query: { limit: 200 } }));
      output.note(`Rolling ${name} back to deploy ${target.number} (${target.version ?? 'no version'})`);
      const accepted = await client.agents.redeploy({ params: { name }, query: { deploy_id: target.deploy_id } });
      if (!wait) {
        output.hint(`Queued as ${accepted.deploy_id}. See it with: svc logs ${name} -f`);
        return accepted;
      }
      const { waitUntilLive } = await import('../deploy/deploy.ts');
      const { state, version } = await waitUntilLive(client, accepted, output);
      output.note(output.good(`Live: ${name} ${version ?? ''}`.trimEnd()));
      return { ...accepted, state, version };
    },
    lines: ({ url }) => [url],
  }),
];

import { Command, Option } from 'clipanion';
import type { Api } from '../lib/api.ts';
import { ApiCommand } from '../lib/api-command.ts';
import { CliError } from '../lib/errors.ts';
import { agentName } from '../project/name.ts';

type Deployment = Awaited<ReturnType<Api['agents']['deployments']>>[number];

export class RollbackCommand extends ApiCommand {
  static override paths = [['rollback']];
  static override usage = Command.Usage({
    description: 'make an earlier deploy of your agent live again',
    details:
      'Without --to it is the one that was live before. It becomes a new deploy with the source of the old one; secrets and what callers set stay as they are. svc describe lists the numbers. Exits 1 when it fails; ctrl-C leaves it running.',
    examples: [
      ['To what was live before', 'svc rollback greeter'],
      ['To a certain one', 'svc rollback greeter --to 3'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  to = Option.String('--to', { description: 'number, version or id (dep_…) of the deploy' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  wait = Option.Boolean('--wait', true, { description: 'wait until it is live' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const [client, output] = [this.client(), this.output(this.json)];
    const target = this.#target(name, await client.agents.deployments({ params: { name }, query: { limit: 200 } }));
    output.note(`Rolling ${name} back to deploy ${target.number} (${target.version ?? 'no version'})`);
    const accepted = await client.agents.redeploy({ params: { name }, query: { deploy_id: target.deploy_id } });
    if (!this.wait) {
      output.hint(`Queued as ${accepted.deploy_id}. See it with: svc logs ${name} -f`);
      output.result(accepted, [accepted.url]);
      return 0;
    }
    const { waitUntilLive } = await import('../deploy/deploy.ts');
    const { state, version } = await waitUntilLive(client, accepted, output);
    output.note(output.good(`Live: ${name} ${version ?? ''}`.trimEnd()));
    output.result({ ...accepted, state, version }, [accepted.url]);
    return 0;
  }

  #target(name: string, deployments: readonly Deployment[]): Deployment {
    const { to } = this;
    const target =
      to === undefined
        ? deployments.find(({ state }) => state === 'superseded')
        : (deployments.find((one) => one.deploy_id === to || String(one.number) === to) ??
          deployments.find((one) => one.version === to && one.live_at !== null));
    if (target) return target;
    throw new CliError(
      to === undefined ? `Nothing of ${name} was live before what is live now.` : `${name} has no deploy "${to}". See its deploys with: svc describe ${name}`,
    );
  }
}

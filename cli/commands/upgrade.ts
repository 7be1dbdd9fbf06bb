import { Command, Option } from 'clipanion';
import type { Api } from '../lib/api.ts';
import { ApiCommand } from '../lib/api-command.ts';
import { UsageError } from '../lib/errors.ts';
import { plain, type Output } from '../lib/output.ts';
import { agentName } from '../project/name.ts';

type Template = Awaited<ReturnType<Api['agents']['updateTemplate']>>;
type Runtime = Awaited<ReturnType<Api['agents']['upgradeRuntime']>>;

export class UpgradeCommand extends ApiCommand {
  static override paths = [['upgrade']];
  static override usage = Command.Usage({
    description: 'bring your agent to the newest runtime, or its project to the newest template',
    details:
      'The live version is built again on the newest runtime. It goes live only if its card is unchanged; otherwise the previous version keeps serving, and the answer lists the differences. svc rollback undoes an upgrade. With --template the newest template is merged into the source; a conflict is shown and waits for --approve or --reject.',
    examples: [
      ['To the newest runtime', 'svc upgrade greeter'],
      ['Only look', 'svc upgrade greeter --check'],
      ['To the newest template', 'svc upgrade greeter --template'],
      ['Decide a conflict', 'svc upgrade greeter --template --approve --ours agent.ts --theirs README.md'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  check = Option.Boolean('--check', false, { description: 'only look: nothing is built' });
  force = Option.Boolean('--force', false, { description: 'build again, though it runs on the newest runtime' });
  template = Option.Boolean('--template', false, { description: 'the template instead of the runtime' });
  approve = Option.Boolean('--approve', false, { description: 'deploy the proposal of a template' });
  reject = Option.Boolean('--reject', false, { description: 'drop the proposal of a template' });
  ours = Option.Array('--ours', [], { description: 'of this file in conflict yours counts' });
  theirs = Option.Array('--theirs', [], { description: 'of this file in conflict the one of the template counts' });
  wait = Option.Boolean('--wait', true, { description: 'wait until it is live' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    this.#checkOptions();
    const name = await agentName(this.agent, this.project);
    const output = this.output(this.json);
    return this.template ? this.#updateTemplate(name, output) : this.#upgradeRuntime(name, output);
  }

  #checkOptions(): void {
    const decides = this.approve || this.reject;
    if (!this.template && (decides || this.ours.length + this.theirs.length > 0)) {
      throw new UsageError('--approve, --reject, --ours and --theirs are about a template: add --template.');
    }
    if (this.template && this.force) throw new UsageError('--force is about the runtime: leave --template out.');
    if ([this.check, this.approve, this.reject].filter(Boolean).length > 1) throw new UsageError('Use one of --check, --approve and --reject.');
    if (this.ours.length + this.theirs.length > 0 && !this.approve) throw new UsageError('--ours and --theirs go with --approve.');
    const both = this.ours.find((path) => this.theirs.includes(path));
    if (both !== undefined) throw new UsageError(`${both} is in --ours and in --theirs: choose one.`);
  }

  async #upgradeRuntime(name: string, output: Output): Promise<number> {
    const client = this.client();
    const upgrade = await client.agents.upgradeRuntime({ params: { name }, body: { check: this.check, force: this.force } });
    const begun = !this.check && (upgrade.state === 'building' || upgrade.state === 'verifying');
    if (begun && this.wait) await this.#live(client, name, upgrade.deploy_id, output);
    const now = begun && this.wait ? await client.agents.upgradeRuntime({ params: { name }, body: { check: true } }) : upgrade;
    output.result(now, () => runtimeLines(now));
    if (begun) output.hint(`Take it back with: svc rollback ${name}`);
    return 0;
  }

  async #updateTemplate(name: string, output: Output): Promise<number> {
    const client = this.client();
    const action = this.check ? 'check' : this.approve ? 'approve' : this.reject ? 'reject' : 'update';
    const choices = Object.fromEntries([...this.ours.map((path) => [path, 'ours'] as const), ...this.theirs.map((path) => [path, 'theirs'] as const)]);
    const update = await client.agents.updateTemplate({ params: { name }, body: { action, choices } });
    const begun = update.state === 'approved' && !this.check;
    if (begun && this.wait) await this.#live(client, name, update.deploy_id, output);
    const now = begun && this.wait ? await client.agents.updateTemplate({ params: { name }, body: { action: 'check' } }) : update;
    output.result(now, () => templateLines(now));
    if (now.state === 'proposed' || now.state === 'conflicted') {
      const choices = now.conflicts.map(({ path }) => ` --ours ${path}`).join('');
      output.hint(`Nothing was deployed. Decide with: svc upgrade ${name} --template --approve${choices}, or --reject`);
    }
    if (begun) output.hint(`Take it back with: svc rollback ${name}`);
    return 0;
  }

  async #live(client: Api, name: string, deployId: string | null, output: Output): Promise<void> {
    if (deployId === null) return;
    const { waitUntilLive } = await import('../deploy/deploy.ts');
    await waitUntilLive(client, { name, deploy_id: deployId }, output);
  }
}

const STATES: Record<Runtime['state'], string> = {
  current: 'runs on the newest runtime',
  available: 'runs on an older runtime: a newer one is there',
  building: 'is built on the newest runtime',
  verifying: 'is started on the newest runtime and checked',
  live: 'is live on the newest runtime',
  rolled_back: 'was upgraded, and the version before serves again',
};

function runtimeLines({ name, state, differences }: Runtime): string[] {
  return [`${name} ${STATES[state]}`, ...differences.map((one) => `  ${plain(one)}`)];
}

function templateLines({ name, state, template_ref, from, to, conflicts, changed_files }: Template): string[] {
  const versions = from && to && from.digest !== to.digest ? `, ${from.version} to ${to.version}` : '';
  return [
    `${name}: template ${template_ref ?? 'none'}${versions}: ${state}`,
    ...changed_files.map((path) => `  ${plain(path)}`),
    ...conflicts.flatMap(({ path, kind, merged }) => ['', `Conflict (${kind}) in ${plain(path)}`, ...(merged === null ? [] : plain(merged).split('\n'))]),
  ];
}

// For operators: the builds of the workflow code that workers run.
import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { plain, table } from '../../output.ts';

export class WorkersListCommand extends ApiCommand {
  static override paths = [['workers', 'list']];
  static override usage = Command.Usage({
    description: 'list the builds of the workflow code that workers run; for operators',
    details:
      'New workflows, and open ones that follow the code, go to the current build. WORKERS are processes that asked for its tasks in the last five minutes; PINNED are open workflows that continue with this build only.',
    examples: [['All of them', 'svc workers list']],
  });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    const listed = await this.client().workerBuilds.list();
    const rows = listed.items.map((one) => [
      plain(one.build_id),
      one.current ? 'current' : '',
      String(one.workers),
      String(one.pinned_workflows),
      one.first_seen,
    ]);
    if (rows.length === 0) output.note('No worker has run yet, or the Temporal server knows no versions.');
    output.result(listed, () => (rows.length === 0 ? [] : table(['BUILD', 'STATE', 'WORKERS', 'PINNED', 'FIRST SEEN'], rows)));
    const current = listed.items.find((one) => one.current);
    if (rows.length > 0 && (current === undefined || current.workers === 0))
      output.hint('Workflows wait: no worker runs the current build. Start one, or make another build current: svc workers set-current BUILD');
    return 0;
  }
}

export class WorkersSetCurrentCommand extends ApiCommand {
  static override paths = [['workers', 'set-current']];
  static override usage = Command.Usage({
    description: 'make a build of the workflow code current; for operators',
    details:
      'New workflows, and open ones that follow the code, go to it; pinned ones stay where they began. A worker must run it. `npm run up` does this with the build that it starts; a worker that is started again does not.',
    examples: [['After the workers of all machines have the new code', 'svc workers set-current 4f1c…']],
  });

  build = Option.String({ name: 'BUILD' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    const { workerBuilds } = this.client();
    const before = (await workerBuilds.list()).items.find((one) => one.current)?.build_id;
    const build = await workerBuilds.setCurrent({ body: { build_id: this.build } });
    output.result(build, [`${plain(build.build_id)} is current.`]);
    if (before !== undefined && before !== build.build_id) output.hint(`To go back: svc workers set-current ${plain(before)}`);
    return 0;
  }
}

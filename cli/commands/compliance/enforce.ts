import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { table } from '../../output.ts';

export class ComplianceEnforceCommand extends ApiCommand {
  static override paths = [['compliance', 'enforce']];
  static override usage = Command.Usage({
    description: 'remove contents that are older than the policy of an organization keeps them',
    details: 'Every night does the same. Receipts stay, and can be verified.',
    examples: [
      ['Preview what is removed', 'svc compliance enforce acme --dry-run'],
      ['Now', 'svc compliance enforce acme'],
    ],
  });

  slug = Option.String({ name: 'SLUG' });
  dryRun = Option.Boolean('--dry-run', false, { description: 'only count' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const purge = await this.client().compliance.enforce({ params: { slug: this.slug }, body: { dry_run: this.dryRun } });
    const counts = Object.entries(purge.counts);
    const output = this.output(this.json);
    output.result(purge, () => [
      purge.dry_run
        ? `Would go, of what ended before ${purge.before}:`
        : `${purge.purge_id} is ${purge.state}: contents of what ended before ${purge.before} go.`,
      ...(counts.length > 0 ? table(['TABLE', 'ROWS'], counts.map(([name, n]) => [name, String(n)])) : purge.dry_run ? ['nothing'] : []), // prettier-ignore
    ]);
    if (!purge.dry_run) output.hint(`What went: svc compliance status ${this.slug} --json`);
    return 0;
  }
}

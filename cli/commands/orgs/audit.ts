// The log of an organization: shown, kept as a file, and a file checked without the platform.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Command, Option } from 'clipanion';
import { checkAuditLog } from '#contract/crypto/audit-chain.ts';
import { ApiCommand } from '../../lib/api-command.ts';
import type { CliContext } from '../../lib/context.ts';
import { Output, plain, table } from '../../lib/output.ts';

export class OrgsAuditCommand extends ApiCommand {
  static override paths = [['orgs', 'audit']];
  static override usage = Command.Usage({
    description: 'show what was done in an organization, newest first',
    details: 'With --export it prints the whole log, a row a line, its last line the head: keep it as a file.',
    examples: [
      ['The newest 50', 'svc orgs audit acme'],
      ['All of it', 'svc orgs audit acme --export > acme.ndjson'],
    ],
  });

  slug = Option.String({ name: 'SLUG' });
  action = Option.String('--action', { description: 'only this action, such as agent.deploy, or what stands before the dot' });
  all = Option.Boolean('--export', false, { description: 'the whole log as NDJSON' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const params = { slug: this.slug };
    const output = this.output(this.json);
    if (this.all) {
      const response = await this.client().organizations.exportAudit({ params });
      for await (const chunk of response.body ?? []) this.context.stdout.write(chunk);
      return 0;
    }
    const query = { limit: 50, ...(this.action !== undefined && { action: this.action }) };
    const log = await this.client().organizations.auditLog({ params, query });
    output.note(`Head: ${log.head.sequence} ${log.head.sha256}`);
    const rows = log.items.map(({ at, sequence, action, actor, target_id }) => [
      String(sequence),
      at,
      action,
      plain(actor.email ?? actor.id ?? actor.kind),
      target_id ?? '',
    ]);
    output.result(log, () => table(['ROW', 'AT', 'ACTION', 'BY', 'OF'], rows));
    return 0;
  }
}

export class OrgsAuditVerifyCommand extends Command<CliContext> {
  static override paths = [['orgs', 'audit', 'verify']];
  static override usage = Command.Usage({
    description: 'check a file of the log without the platform: a row that is missing, changed or put in shows',
    examples: [
      ['A file', 'svc orgs audit verify acme.ndjson'],
      ['And that it ends where it did', 'svc orgs audit verify acme.ndjson --head SHA256'],
    ],
  });

  file = Option.String({ name: 'FILE' });
  head = Option.String('--head', { description: 'hash of the newest row, from a note elsewhere' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const lines: string[] = [];
    for await (const line of createInterface({ input: createReadStream(this.file) })) lines.push(line);
    const report = checkAuditLog(lines, this.head);
    const output = new Output(this.context, this.json);
    const good = `${report.rows} rows of ${report.organization ?? 'an organization'} hold together. Head: ${report.head?.sha256 ?? 'none'}`;
    output.result(report, report.problems.length === 0 ? [good] : report.problems);
    return report.problems.length === 0 ? 0 : 1;
  }
}

import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, Option } from 'clipanion';
import { MAX_EXPORT_RECORDS } from '#contract/orgs/compliance-limits.ts';
import type { ComplianceExportOut } from '#contract/orgs/compliance.ts';
import { DECISION_KINDS } from '#contract/states.ts';
import { ApiCommand, integer, oneOf } from '../../lib/api-command.ts';
import { CliError } from '../../lib/errors.ts';
import { plain, table } from '../../lib/output.ts';

const LOOK_MS = 500;

export class ComplianceExportCommand extends ApiCommand {
  static override paths = [['compliance', 'export']];
  static override usage = Command.Usage({
    description: 'make a file of decision records, which can be checked without the platform',
    details: 'The newest of the range, with the state of every control. Check it with svc compliance verify.',
    examples: [
      ['The last thousand', 'svc compliance export acme -o acme.ndjson'],
      ['Calls of July', 'svc compliance export acme --kind skill_execution --from 2026-07-01T00:00:00Z --to 2026-08-01T00:00:00Z -o july.ndjson'],
      ['Previous exports', 'svc compliance export acme --list'],
      ['The file of one that was made before', 'svc compliance export acme --id cex_… -o acme.ndjson'],
    ],
  });

  slug = Option.String({ name: 'SLUG' });
  from = Option.String('--from', { description: 'recorded at this time or later' });
  to = Option.String('--to', { description: 'recorded before this time' });
  kinds = Option.Array('--kind', { description: `${DECISION_KINDS.join(', ')}; may be given again` });
  most = Option.String('--max-records', { description: `how many at most, 1 to ${MAX_EXPORT_RECORDS}` });
  out = Option.String('--out,-o', { description: 'the file to write' });
  id = Option.String('--id', { description: 'an export that was made before' });
  list = Option.Boolean('--list', false, { description: 'list what was exported' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    const api = this.client().compliance;
    const params = { slug: this.slug };
    if (this.list) {
      const { items } = await api.exports({ params, query: { limit: 100 } });
      if (items.length === 0) output.note('Nothing was exported.');
      output.result(items, () => (items.length === 0 ? [] : table(['MADE', 'STATE', 'RECORDS', 'KEPT UNTIL', 'EXPORT'], items.map((one) => [one.created_at, one.state, String(one.counts?.['records'] ?? '-'), one.expires_at ?? '-', one.export_id])))); // prettier-ignore
      return 0;
    }
    let made = this.id === undefined ? await api.export({ params, body: this.#asked() }) : await api.getExport({ params: { ...params, export_id: this.id } });
    const at = { params: { ...params, export_id: made.export_id } };
    while (made.state === 'queued' || made.state === 'running' || made.state === 'waiting') {
      await sleep(LOOK_MS);
      made = await api.getExport(at);
    }
    if (made.state !== 'succeeded') throw new CliError(`The export ${made.state}: ${plain(made.error?.message ?? '')}`);
    const file = this.out ?? `${this.slug}-${made.export_id}.ndjson`;
    await write(await api.exportFile(at), file);
    output.result({ ...made, file }, () => lines(made, file));
    output.hint(`Check it: svc compliance verify ${file}`);
    return 0;
  }

  #asked() {
    return {
      ...(this.from !== undefined && { from: this.from }),
      ...(this.to !== undefined && { to: this.to }),
      ...(this.kinds !== undefined && { kinds: this.kinds.map((word) => oneOf('--kind', word, DECISION_KINDS)) }),
      ...(this.most !== undefined && { max_records: integer('--max-records', this.most, { min: 1, max: MAX_EXPORT_RECORDS }) }),
    };
  }
}

/** Beside, then renamed: a broken download leaves no half a file. */
async function write(response: Response, file: string): Promise<void> {
  const draft = `${file}.tmp`;
  try {
    if (response.body) await pipeline(Readable.fromWeb(response.body), createWriteStream(draft, { mode: 0o600 }));
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function lines({ export_id, counts, sha256, expires_at }: ComplianceExportOut, file: string): string[] {
  return [`${file}: ${export_id}, ${counts?.['records'] ?? 0} records, ${counts?.['invalid'] ?? 0} of them with a signature that does not hold`, `SHA-256 ${sha256}; kept at the platform until ${expires_at}`]; // prettier-ignore
}

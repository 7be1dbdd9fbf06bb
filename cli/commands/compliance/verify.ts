import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { verifyAsync } from '@noble/ed25519';
import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../lib/api-command.ts';
import { UsageError } from '../../lib/errors.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { plain } from '../../lib/output.ts';

export class ComplianceVerifyCommand extends ApiCommand {
  static override paths = [['compliance', 'verify']];
  static override usage = Command.Usage({
    description: 'check an export of decision records: its manifest, its lines, and every receipt',
    details: 'With --keys nothing is fetched. Ends with 0 when all of it holds, with 1 otherwise.',
    examples: [
      ['With the keys that the platform publishes', 'svc compliance verify acme.ndjson'],
      ['Offline', 'svc compliance verify acme.ndjson --keys keys.json'],
    ],
  });

  file = Option.String({ name: 'FILE' });
  keys = Option.String('--keys', { description: 'file with the published keys, as /v1/public/receipt-keys answers them' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    if (!existsSync(this.file)) throw new UsageError(`${this.file} cannot be read.`);
    const { keysInFile } = await import('../../proof/source.ts');
    const keys = this.keys === undefined ? (await this.anonymous().public.receiptKeys()).keys : await keysInFile(this.keys);
    const { checkExport } = await import('#contract/wire/export-check.ts');
    const verify = (signature: Uint8Array, message: Uint8Array, key: Uint8Array) => verifyAsync(signature, message, key, { zip215: false }).catch(() => false);
    const lines = createInterface({ input: createReadStream(this.file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
    const { findings, manifest, isAuthentic } = await checkExport({ lines, keys, verify });
    const output = this.output(this.json);
    output.result({ authentic: isAuthentic, manifest: manifest ?? null, findings }, () => {
      const of = manifest ? `${plain(manifest.export_id)} of ${plain(manifest.organization.slug)}` : plain(this.file);
      const head = isAuthentic ? output.good(`The export holds: ${of}`) : output.bad(`The export does NOT hold: ${of}`);
      return [head, ...findings.map(({ name, is, says }) => `${is === 'passed' ? 'holds' : 'FAILS'}  ${name}: ${plain(says)}`)];
    });
    return isAuthentic ? EXIT.ok : EXIT.failure;
  }
}

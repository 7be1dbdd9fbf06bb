// One decision, and a file of decisions: what they say, and whether their signatures hold.
import { createReadStream, existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Option } from 'clipanion';
import type { DecisionKind } from '#contract/states.ts';
import { customCommand } from '../../lib/command.ts';
import { CliError, UsageError } from '../../lib/errors.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { plain } from '../../lib/output.ts';

export const record = customCommand('compliance records get', {
  about: 'show one decision and check its signature',
  details: 'Ends with 1 when the signature does not hold.',
  examples: [
    ['One call', 'svc compliance records get acme rcp_…'],
    ['Its receipt, to be checked', 'svc compliance records get acme rcp_… --receipt receipt.txt'],
  ],
  arguments: { slug: 'SLUG', record: 'RECORD' },
  options: () => ({ receipt: Option.String('--receipt', { description: 'write the signed receipt to this file' }) }),
  run: async ({ slug, record: record_id, receipt }, { client }) => {
    const decision = await client.compliance.record({ params: { slug, kind: kindOf(record_id), record_id } });
    if (receipt !== undefined) {
      if (decision.token === null) throw new CliError(`${decision.record_id} has no receipt: only calls of agents are signed.`);
      await writeFile(receipt, `${decision.token}\n`);
    }
    return decision;
  },
  lines: ({ kind, record_id, action, outcome, agent, actor, recorded_at, occurred_at, signature_problem, signature_status, details }, _, output) => [
    `${kind} ${record_id}: ${plain(action)} ${outcome}`,
    `Agent:      ${agent ?? '-'}`,
    `By:         ${actor.kind} ${plain(actor.id ?? '')}`,
    `Recorded:   ${recorded_at}, ended ${occurred_at}`,
    `Signature:  ${signature_problem === null ? signature_status.replace('_', ' ') : output.bad(plain(signature_problem))}`,
    ...Object.entries(details).map(([name, value]) => `${name}: ${plain(typeof value === 'string' ? value : JSON.stringify(value))}`),
  ],
  exit: ({ signature_status }) => (signature_status === 'invalid' ? EXIT.failure : EXIT.ok),
});

export const verify = customCommand('compliance verify', {
  about: 'check an export of decision records: its manifest, its lines, and every receipt',
  details: 'With --keys nothing is fetched. Ends with 0 when all of it holds, with 1 otherwise.',
  examples: [
    ['With the keys that the platform publishes', 'svc compliance verify acme.ndjson'],
    ['Offline', 'svc compliance verify acme.ndjson --keys keys.json'],
  ],
  arguments: { file: 'FILE' },
  options: () => ({ keys: Option.String('--keys', { description: 'file with the published keys, as /v1/public/receipt-keys answers them' }) }),
  run: async ({ file, keys: keysFile }, { anonymous }) => {
    if (!existsSync(file)) throw new UsageError(`${file} cannot be read.`);
    const { keysInFile } = await import('../../proof/source.ts');
    const keys = keysFile === undefined ? (await anonymous.public.receiptKeys()).keys : await keysInFile(keysFile);
    const { verifyAsync } = await import('@noble/ed25519');
    const { checkExport } = await import('#contract/wire/export-check.ts');
    const verifySignature = (signature: Uint8Array, message: Uint8Array, key: Uint8Array) =>
      verifyAsync(signature, message, key, { zip215: false }).catch(() => false);
    const lines = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
    return await checkExport({ lines, keys, verify: verifySignature });
  },
  json: ({ isAuthentic, manifest, findings }) => ({ authentic: isAuthentic, manifest: manifest ?? null, findings }),
  lines: ({ isAuthentic, manifest, findings }, { file }, output) => {
    const of = manifest ? `${plain(manifest.export_id)} of ${plain(manifest.organization.slug)}` : plain(file);
    const head = isAuthentic ? output.good(`The export holds: ${of}`) : output.bad(`The export does NOT hold: ${of}`);
    return [head, ...findings.map(({ name, is, says }) => `${is === 'passed' ? 'holds' : 'FAILS'}  ${name}: ${plain(says)}`)];
  },
  exit: ({ isAuthentic }) => (isAuthentic ? EXIT.ok : EXIT.failure),
});

function kindOf(id: string): DecisionKind {
  if (id.startsWith('rcp_')) return 'skill_execution';
  return id.startsWith('aud_') ? 'admin_action' : 'authorization';
}

// Checks an export of decision records offline: the file and the published keys, and nothing else.
import type { DecisionRecordDetail } from '../orgs/compliance.ts';
import { decodeManifest, type ExportCounts, ExportLine, type ExportManifest } from './compliance-export.ts';
import { type Finding, type PublishedKey, signatureOf } from './proof-check.ts';
import { decodeReceipt } from './receipt.ts';
import { digestOf } from './sha256.ts';
import type { VerifySignature } from './signed.ts';

export interface ExportVerdict {
  findings: Finding[];
  /** Absent: it could not be read. */
  manifest?: ExportManifest;
  /** Nothing that was checked failed. */
  isAuthentic: boolean;
}

export interface ExportToCheck {
  /** Without their line feeds. */
  lines: AsyncIterable<string> | Iterable<string>;
  keys: readonly PublishedKey[];
  verify: VerifySignature;
}

/** How many of one kind of fault are named. */
const NAMED = 5;

const passed = (name: string, says: string): Finding => ({ name, is: 'passed', says });
const failed = (name: string, says: string): Finding => ({ name, is: 'failed', says });

export async function checkExport({ lines, keys, verify }: ExportToCheck): Promise<ExportVerdict> {
  const read = await readAll(lines, keys, verify);
  if (typeof read === 'string') return { findings: [failed('File', read)], isAuthentic: false };
  const { header, manifest, counts, chain, problems } = read;
  const { payload } = manifest;
  const findings = [
    passed('File', `${counts.lines + 1} lines, each of a kind that is known, the header first and the manifest last.`),
    await signatureOf('Signature of the manifest', manifest, payload.kid, payload.ended_at, keys, verify),
    findingOf('Lines', payload.chain_sha256 === chain, 'They are those that the manifest was signed over, in their order.', 'They are not those that the manifest was signed over: a line was changed, taken out or put in.'), // prettier-ignore
    findingOf(
      'Counts',
      same(payload.counts, counts),
      `${counts.records} records, ${counts.controls} controls, ${counts.agents} agents.`,
      'Their number differs from the manifest.',
    ),
    findingOf('Header', JSON.stringify(aboutOf(header)) === JSON.stringify(aboutOf(payload)), `It is of ${payload.organization.slug}, from ${payload.from} to ${payload.to}.`, 'It says something else than the manifest.'), // prettier-ignore
    listed('Receipts', problems.receipts, `${counts.skill_execution} receipts are signed by published keys, and say what their records say.`),
    listed('Chains of receipts', problems.chains, 'Receipts that follow each other name the hash of the one before.'),
    listed(
      'Range',
      problems.range,
      payload.complete ? 'Every record of the range is here, the newest first.' : `The newest ${payload.max_records} of the range; there are more.`,
    ),
  ];
  return { findings, manifest: payload, isAuthentic: findings.every(({ is }) => is !== 'failed') };
}

const findingOf = (name: string, holds: boolean, yes: string, no: string): Finding => (holds ? passed(name, yes) : failed(name, no));

function listed(name: string, problems: readonly string[], yes: string): Finding {
  if (problems.length === 0) return passed(name, yes);
  const more = problems.length > NAMED ? ` And ${problems.length - NAMED} more.` : '';
  return failed(name, `${problems.slice(0, NAMED).join(' ')}${more}`);
}

type Header = Extract<ExportLine, { line: 'header' }>;

interface Read {
  header: Header;
  manifest: ReturnType<typeof decodeManifest>;
  counts: ExportCounts;
  chain: string;
  problems: { receipts: string[]; chains: string[]; range: string[] };
}

/** A text: why it is no export. */
async function readAll(lines: ExportToCheck['lines'], keys: readonly PublishedKey[], verify: VerifySignature): Promise<Read | string> {
  const counts: ExportCounts = { lines: 0, controls: 0, agents: 0, records: 0, skill_execution: 0, authorization: 0, admin_action: 0, valid: 0, invalid: 0, not_applicable: 0 }; // prettier-ignore
  const problems: Read['problems'] = { receipts: [], chains: [], range: [] };
  const chains = new Map<string, { seq: number; previous: string | null; id: string }>();
  let header: Header | undefined;
  let manifest: Read['manifest'] | undefined;
  let chain = '';
  let before: string | undefined;
  for await (const text of lines) {
    if (manifest) return 'Something follows the manifest.';
    const line = parse(text);
    if (!line) return `Line ${counts.lines + 1} is not one of an export.`;
    if ((line.line === 'header') !== (counts.lines === 0)) return 'It does not begin with its header.';
    if (line.line === 'manifest') {
      try {
        manifest = decodeManifest(line.token);
      } catch (error) {
        return error instanceof Error ? error.message : 'The manifest cannot be read.';
      }
      continue;
    }
    chain = await digestOf(new TextEncoder().encode(chain === '' ? text : `${chain}\n${text}`));
    counts.lines += 1;
    if (line.line === 'header') header = line;
    else if (line.line === 'control') counts.controls += 1;
    else if (line.line === 'agent') counts.agents += 1;
    else {
      counts.records += 1;
      counts[line.kind] += 1;
      counts[line.signature_status] += 1;
      if (header) range(line, header, before, problems.range);
      before = line.recorded_at;
      if (line.kind === 'skill_execution') await receipt(line, keys, verify, chains, problems);
    }
  }
  if (!header || !manifest) return 'It ends before its manifest: it was cut off.';
  return { header, manifest, counts, chain, problems };
}

function parse(text: string): ExportLine | undefined {
  try {
    const read = ExportLine.safeParse(JSON.parse(text));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

function range(record: DecisionRecordDetail, header: Header, before: string | undefined, problems: string[]): void {
  if (!header.kinds.includes(record.kind)) problems.push(`${record.record_id} is of a kind that was not asked for.`);
  if (record.recorded_at < header.from || record.recorded_at >= header.to) problems.push(`${record.record_id} is not of the range.`);
  if (before !== undefined && record.recorded_at > before) problems.push(`${record.record_id} is not in its place.`);
}

async function receipt(
  record: DecisionRecordDetail,
  keys: readonly PublishedKey[],
  verify: VerifySignature,
  chains: Map<string, { seq: number; previous: string | null; id: string }>,
  problems: Read['problems'],
): Promise<void> {
  const { record_id: id } = record;
  let decoded;
  try {
    decoded = decodeReceipt(record.token ?? '');
  } catch {
    return void problems.receipts.push(`${id} has no receipt that can be read.`);
  }
  const { payload, bytes } = decoded;
  const signed = await signatureOf(id, decoded, payload.kid, payload.ended_at, keys, verify);
  if (signed.is !== 'passed') return void problems.receipts.push(`${id}: ${signed.says}`);
  const pairs: [string, unknown, unknown][] = [
    ['id', payload.receipt_id, id],
    ['agent', payload.agent.name, record.agent],
    ['action', payload.skill, record.action],
    ['outcome', payload.status, record.outcome],
    ['end', Date.parse(payload.ended_at), Date.parse(record.occurred_at)],
    ['signature', 'valid', record.signature_status],
  ];
  const other = pairs.filter(([, a, b]) => a !== b).map(([what]) => what);
  if (other.length > 0) problems.receipts.push(`${id} says something else than its receipt: ${other.join(', ')}.`);
  // Newest first: the one before in the file comes after in the chain.
  const later = chains.get(payload.agent.name);
  if (later?.seq === payload.seq + 1 && later.previous !== (await digestOf(bytes))) problems.chains.push(`${later.id} does not follow ${id}.`);
  chains.set(payload.agent.name, { seq: payload.seq, previous: payload.previous_sha256, id });
}

function aboutOf({ export_id, organization, from, to, kinds, max_records }: Header | ExportManifest): unknown {
  return [export_id, organization.organization_id, organization.slug, from, to, kinds, max_records];
}

function same(a: ExportCounts, b: ExportCounts): boolean {
  return (Object.keys(b) as (keyof ExportCounts)[]).every((key) => a[key] === b[key]);
}

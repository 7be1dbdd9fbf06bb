// An export of decision records: a file of JSON documents, one a line. The first is the header, then come the
// controls, the agents and the records, newest first; the last is the manifest, signed as receipts are. Its
// chain_sha256 is a hash over every line before it: chain(0) = SHA-256(line 0), chain(n) = SHA-256(chain(n -
// 1) as 64 hexadecimal characters, a line feed, line n), lines in UTF-8 and without their line feed.
import { z } from 'zod';
import { COMPLIANCE_FRAMEWORKS, CONTROL_STATES, DECISION_KINDS, RISK_TIERS } from '../states.ts';
import { DecisionRecordDetail } from '../orgs/compliance.ts';
import { canonicalJson } from './canonical.ts';
import { Sha256Hex, Timestamp } from './names.ts';
import { decodeSigned, type Signed, type SignedKind } from './signed.ts';

const name = z.string().min(1).max(256);
const count = z.int().min(0);
export const EXPORT_TYPE = 'svc.compliance-export.v1';

const about = {
  type: z.literal(EXPORT_TYPE),
  export_id: name,
  organization: z.strictObject({ organization_id: name, slug: name }),
  from: Timestamp,
  to: Timestamp,
  kinds: z.array(z.enum(DECISION_KINDS)),
  max_records: count,
};

const ExportHeader = z.strictObject({
  line: z.literal('header'),
  ...about,
  frameworks: z.array(z.enum(COMPLIANCE_FRAMEWORKS)),
  retention_days: count,
  legal_hold: z.boolean(),
});
const ExportControl = z.strictObject({
  line: z.literal('control'),
  control_id: name,
  framework: z.enum(COMPLIANCE_FRAMEWORKS),
  reference: z.string(),
  title: z.string(),
  state: z.enum(CONTROL_STATES),
  reason: z.string(),
  evidence: z.array(z.strictObject({ name, title: z.string(), state: z.enum(CONTROL_STATES), reason: z.string() })),
});
const ExportAgent = z.strictObject({
  line: z.literal('agent'),
  agent: name,
  risk_tier: z.enum(RISK_TIERS),
  intended_purpose: z.string(),
  human_oversight: z.string(),
  gaps: z.array(z.string()),
  version: count,
});
const ExportRecord = z.strictObject({ line: z.literal('record'), ...DecisionRecordDetail.shape });
const ExportManifestLine = z.strictObject({ line: z.literal('manifest'), token: z.string() });

export const ExportLine = z.discriminatedUnion('line', [ExportHeader, ExportControl, ExportAgent, ExportRecord, ExportManifestLine]);
export type ExportLine = z.infer<typeof ExportLine>;

export const ExportCounts = z.strictObject({
  lines: count.meta({ description: 'Before the manifest.' }),
  controls: count,
  agents: count,
  records: count,
  skill_execution: count,
  authorization: count,
  admin_action: count,
  valid: count.meta({ description: 'Records by signature.' }),
  invalid: count,
  not_applicable: count,
});
export type ExportCounts = z.infer<typeof ExportCounts>;

export const ExportManifest = z.strictObject({
  ...about,
  kid: name.meta({ description: 'The published key that verifies the signature.' }),
  complete: z.boolean().meta({ description: 'Every record of the range is in it: there were no more than max_records.' }),
  counts: ExportCounts,
  chain_sha256: Sha256Hex,
  ended_at: Timestamp,
});
export type ExportManifest = z.infer<typeof ExportManifest>;

class ExportInvalid extends Error {
  readonly code = 'export_invalid';
  constructor(message: string) {
    super(message);
    this.name = 'ExportInvalid';
  }
}

const MANIFEST: SignedKind<ExportManifest> = { schema: ExportManifest, name: 'manifest', Invalid: ExportInvalid };

/** The bytes that are signed. @throws z.ZodError when a field is missing or wrong. */
export function manifestBytes(manifest: ExportManifest): Uint8Array {
  return new TextEncoder().encode(canonicalJson(ExportManifest.parse(manifest)));
}

/** Reads a token without checking its signature. @throws ExportInvalid */
export function decodeManifest(token: string): Signed<ExportManifest> {
  return decodeSigned(token, MANIFEST);
}

// Statements of payouts: what one run paid one creator, with a line for each receipt. A file has a JSON value
// on each line: first the signed summary, then the lines in order. The summary names the root of a Merkle
// tree over the lines, so a changed, dropped, added or moved line shows, and one line can be proved without
// the others. Signed as receipts are, with the same keys; the type in the payload keeps one from passing for
// the other.
import { z } from 'zod';
import { PAYOUT_LINE_KINDS, PAYOUT_LINE_REASONS } from '../states.ts';
import { canonicalJson } from './canonical.ts';
import { type Hash, leafHash } from './merkle.ts';
import { Sha256Hex, Timestamp } from './names.ts';
import { decodeSigned, type Signed, type SignedKind } from './signed.ts';

const name = z.string().min(1).max(256);
const micros = z.int().min(0);

export const StatementLine = z
  .strictObject({
    type: z.literal('line'),
    line_id: name,
    kind: z.enum(PAYOUT_LINE_KINDS).meta({
      description:
        'receipt: a call; bounty: a reward; adjustment: a correction of a line that was paid; carry: what a run before left of a cent; returned: what was paid before and came back from the payment processor.',
    }),
    receipt_id: name.nullable(),
    receipt_sha256: Sha256Hex.nullable().meta({ description: "Hash of the receipt's payload." }),
    bounty_id: name.nullable(),
    of_line_id: name.nullable().meta({ description: 'The line that an adjustment corrects.' }),
    of_transfer_id: name.optional().meta({ description: 'Id of the statement whose money came back. Only for kind returned.' }),
    agent: name.nullable(),
    skill: name.nullable(),
    price_version: z.int().min(1).nullable().meta({ description: 'Price version of the skill; null: it is no longer stored.' }),
    charged_micros: micros.meta({ description: 'Micro-credits that the payer was charged. A credit is worth one US dollar.' }),
    creator_micros: micros.meta({ description: "Creator's part, after the platform's fee." }),
    received_micros: micros.meta({ description: 'Part of charged_micros that was paid with received money, not with given credits.' }),
    amount_micros: z
      .int()
      .meta({ description: 'What the creator gets: creator_micros × received_micros ÷ charged_micros, rounded down. Of an adjustment the difference.' }),
    reason: z.enum(PAYOUT_LINE_REASONS).nullable(),
    at: Timestamp.meta({ description: 'When the call ended, or when it was corrected.' }),
  })
  .meta({ id: 'StatementLine' });
export type StatementLine = z.infer<typeof StatementLine>;

export const StatementPayload = z
  .strictObject({
    /** Says what the signature is over, so that it cannot pass for another kind of document. */
    type: z.literal('svc.payout-statement.v1'),
    statement_id: name,
    run_id: name,
    account: name.meta({ description: 'Id of the account that was paid.' }),
    kid: name.meta({ description: 'The published key that verifies the signature.' }),
    currency: z.literal('usd'),
    from: Timestamp.meta({ description: 'Time of the earliest line.' }),
    to: Timestamp.meta({ description: 'Time of the latest line.' }),
    lines: z.int().min(1),
    root_sha256: Sha256Hex.meta({ description: 'Root of the Merkle tree over the canonical JSON of the lines (RFC 6962).' }),
    lines_micros: micros.meta({ description: 'Sum of the lines.' }),
    carried_micros: micros.meta({ description: 'Less than a cent: a line of the next statement.' }),
    paid_micros: micros.meta({ description: 'Micro-dollars that were sent: lines_micros less carried_micros.' }),
    issued_at: Timestamp,
  })
  .meta({ id: 'StatementPayload' });
export type StatementPayload = z.infer<typeof StatementPayload>;

export const StatementHead = z
  .strictObject({ type: z.literal('statement'), token: z.string().meta({ description: 'base64url(payload).base64url(signature)' }) })
  .meta({ id: 'StatementHead' });

/** A line of the file. */
export const StatementPart = z.discriminatedUnion('type', [StatementHead, StatementLine]).meta({ id: 'StatementPart' });
export type StatementPart = z.infer<typeof StatementPart>;

/** One line of a statement, to be checked without the others. */
export const StatementInclusion = z
  .strictObject({
    type: z.literal('inclusion'),
    token: z.string(),
    line: StatementLine,
    index: z.int().min(0).meta({ description: 'Index of the line, from 0.' }),
    path: z.array(Sha256Hex).max(64).meta({ description: 'Hashes beside the way from the line to the root, lowest first.' }),
  })
  .meta({ id: 'StatementInclusion' });
export type StatementInclusion = z.infer<typeof StatementInclusion>;

export class StatementInvalid extends Error {
  readonly code = 'statement_invalid';
  constructor(message: string) {
    super(message);
    this.name = 'StatementInvalid';
  }
}

const STATEMENT: SignedKind<StatementPayload> = { schema: StatementPayload, name: 'payout statement', Invalid: StatementInvalid };

/** The bytes that are signed. @throws z.ZodError when a field is missing or wrong. */
export function statementBytes(payload: StatementPayload): Uint8Array {
  return new TextEncoder().encode(canonicalJson(StatementPayload.parse(payload)));
}

/** Reads a token without checking its signature. @throws StatementInvalid */
export function decodeStatement(token: string): Signed<StatementPayload> {
  return decodeSigned(token, STATEMENT);
}

/** What a leaf of the tree is made of. */
export function lineBytes(line: StatementLine): Uint8Array {
  return new TextEncoder().encode(canonicalJson(line));
}

export function lineHash(hash: Hash, line: StatementLine): Promise<Uint8Array> {
  return leafHash(hash, lineBytes(line));
}

/** The creator's part of what was received, rounded down to a micro-credit. */
export function shareOf({
  creator_micros,
  received_micros,
  charged_micros,
}: Pick<StatementLine, 'creator_micros' | 'received_micros' | 'charged_micros'>): number {
  if (charged_micros === 0) return 0;
  return Number((BigInt(creator_micros) * BigInt(received_micros)) / BigInt(charged_micros));
}

// Checks a published proof offline: the proof, its receipt and the published keys, with what the reader has
// beside them. Without a schema library, so that browsers can do it; every field that it reads is looked at
// first.
import { fromBase64Url } from './base64url.ts';
import { canonicalJson } from './canonical.ts';
import type { ProofPayload } from './proof.ts';
import type { ReceiptPayload } from './receipt.ts';
import { canonicalDigest, digestOf } from './sha256.ts';
import type { VerifySignature } from './signed.ts';

/** As `GET /v1/public/receipt-keys` has it. */
export interface PublishedKey {
  kid: string;
  /** Ed25519, 32 bytes, base64. */
  public_key: string;
  not_before: string;
  not_after: string;
}

export interface Finding {
  name: string;
  /** open: the reader does not have what it takes to say. */
  is: 'passed' | 'failed' | 'open';
  /** What was found; of a failed one: what that means. */
  says: string;
}

/** What the reader has beside the proof; what is absent is not checked. */
export interface BesideProof {
  /** The agent whose proof it is said to be. */
  agent?: string | undefined;
  card?: unknown;
  args?: unknown;
  result?: unknown;
  /** Whether a clone of the source has the commit. */
  hasCommit?: boolean | undefined;
  /** Digest of the image that the reader has. */
  image?: string | undefined;
  /** Holds a value against a JSON Schema; undefined: it cannot say. */
  fits?: ((schema: Record<string, unknown>, value: unknown) => boolean | undefined) | undefined;
}

export interface ProofVerdict {
  findings: Finding[];
  /** Absent: they could not be read. */
  proof?: ProofPayload;
  receipt?: ReceiptPayload;
  /**
   * Both signatures hold, and nothing that could be checked failed. It says nothing of whether the proof
   * passed.
   */
  isAuthentic: boolean;
}

export interface ProofToCheck {
  proof: string;
  receipt: string;
  keys: readonly PublishedKey[];
  verify: VerifySignature;
  beside?: BesideProof;
}

export async function checkProof({ proof: proofToken, receipt: receiptToken, keys, verify, beside = {} }: ProofToCheck): Promise<ProofVerdict> {
  const proof = read(proofToken, isProof);
  const receipt = read(receiptToken, isReceipt);
  const form = (name: string, found: unknown, what: string): Finding =>
    found ? passed(name, `It is a ${what}, and its format is canonical.`) : failed(name, `It is no ${what}: it was changed, cut, or is something else.`); // prettier-ignore
  const findings = [form('Proof', proof, 'proof'), form('Receipt', receipt, 'receipt')];
  if (!proof || !receipt) return { findings, ...(proof && { proof: proof.payload }), ...(receipt && { receipt: receipt.payload }), isAuthentic: false };
  const [p, r] = [proof.payload, receipt.payload];
  findings.push(
    await signatureOf('Signature of the proof', proof, p.kid, p.ended_at, keys, verify),
    await signatureOf('Signature of the receipt', receipt, r.kid, r.ended_at, keys, verify),
    agreement(p, r, await digestOf(receipt.bytes)),
    verdict(p),
  );
  if (beside.agent !== undefined) findings.push(same('Agent', p.agent.name === beside.agent, `It is a proof of ${beside.agent}.`, `It is a proof of ${p.agent.name}, not of ${beside.agent}.`)); // prettier-ignore
  findings.push(
    await card(p, beside),
    await digest('Arguments', p.input.sha256, 'args' in beside, beside.args),
    await digest('Result', p.output_sha256, 'result' in beside, beside.result),
    schema(p, beside),
    commit(p, beside),
    image(p, beside),
  );
  const signed = findings.filter(({ name, is }) => name.startsWith('Signature') && is === 'passed').length === 2;
  return { findings, proof: p, receipt: r, isAuthentic: signed && findings.every(({ is }) => is !== 'failed') };
}

const passed = (name: string, says: string): Finding => ({ name, is: 'passed', says });
const failed = (name: string, says: string): Finding => ({ name, is: 'failed', says });
const open = (name: string, says: string): Finding => ({ name, is: 'open', says });
const same = (name: string, holds: boolean, yes: string, no: string): Finding => (holds ? passed(name, yes) : failed(name, no));

export interface SignedToken<T> {
  payload: T;
  bytes: Uint8Array;
  signature: Uint8Array;
}

/** Whether a published key, good at that time, signed exactly these bytes. */
export async function signatureOf(
  name: string,
  { bytes, signature }: SignedToken<unknown>,
  kid: string,
  at: string,
  keys: readonly PublishedKey[],
  verify: VerifySignature,
): Promise<Finding> {
  const key = keys.find((one) => one.kid === kid);
  if (!key) return failed(name, `${kid} is not among the published keys: it is of another installation, or it is forged.`);
  const publicKey = keyBytes(key.public_key);
  if (!publicKey || !(await verify(signature, bytes, publicKey)))
    return failed(name, 'What it says is not what was signed: something in it was changed. Do not rely on it.');
  const ended = Date.parse(at);
  if (!(ended >= Date.parse(key.not_before) && ended <= Date.parse(key.not_after))) return failed(name, `It is said to be of ${at}, when ${kid} was not good.`);
  return passed(name, `${kid}, which is published, signed exactly this.`);
}

/**
 * A receipt that belongs to another call, agent, version or grant is not this proof's, however genuine it is.
 */
function agreement(p: ProofPayload, r: ReceiptPayload, receiptSha256: string): Finding {
  const pairs: [string, unknown, unknown][] = [
    ['receipt', p.receipt.receipt_id, r.receipt_id],
    ['hash of the receipt', p.receipt.sha256, receiptSha256],
    ['agent', p.agent.name, r.agent.name],
    ['version', p.agent.version, r.agent.version],
    ['deployment', p.agent.deployment_id, r.agent.deployment_id],
    ['image', p.agent.image, r.agent.image],
    ['skill', p.skill, r.skill],
    ['arguments', p.input.sha256, r.input_sha256],
    ['result', p.output_sha256, r.output_sha256],
    ['end', p.ended_at, r.ended_at],
  ];
  const other = pairs.filter(([, a, b]) => a !== b).map(([what]) => what);
  if (p.grant_id !== null && !r.grants.includes(p.grant_id)) other.push('grant');
  if (p.status === 'passed' && r.status !== 'ok') other.push('outcome');
  return same('Proof and receipt', other.length === 0, 'They are of the same call: agent, version, image, skill, arguments, result and grant.', `They are not of the same call; they differ in: ${other.join(', ')}.`); // prettier-ignore
}

function verdict({ status, checks, counts }: ProofPayload): Finding {
  const good = checks.filter((check) => check.passed).length;
  const counted = counts.checks === checks.length && counts.passed === good;
  const follows = counted && (status === 'passed') === (checks.length > 0 && good === checks.length);
  return same('Verdict', follows, `${status}: ${good} of ${checks.length} checks passed.`, 'Its verdict does not follow from its checks.');
}

async function card({ card_sha256, agent, skill }: ProofPayload, beside: BesideProof): Promise<Finding> {
  const name = 'Card';
  if (!('card' in beside)) return open(name, `No card is at hand; the proof names the SHA-256 ${card_sha256}.`);
  const actualDigest = await canonicalDigest(beside.card).catch(() => undefined);
  if (actualDigest === card_sha256) return passed(name, `The card at hand is the one that ${skill} was performed under.`);
  return failed(
    name,
    `The card at hand is not the one that the proof is of: ${agent.name} has another version than ${agent.version} now, or the card was changed.`,
  );
}

async function digest(name: string, sha256: string | null, isKnown: boolean, value: unknown): Promise<Finding> {
  if (sha256 === null) return passed(name, 'The call gave none, and the proof names none.');
  if (!isKnown) return open(name, `Not at hand; the proof names the SHA-256 ${sha256}.`);
  const actualDigest = await canonicalDigest(value).catch(() => undefined);
  return same(name, actualDigest === sha256, 'What is at hand is what was signed.', 'What is at hand is not what was signed.');
}

function schema(p: ProofPayload, beside: BesideProof): Finding {
  const name = 'Output schema';
  const declared = beside.fits && 'result' in beside && p.output_sha256 !== null ? outputSchemaOf(beside.card, p.skill) : undefined;
  const fits = declared && beside.fits?.(declared, beside.result);
  if (fits === undefined) return open(name, 'It takes the card and the result to check this again.');
  const claimed = p.checks.find((check) => check.name === 'output_schema')?.passed ?? false;
  return same(name, fits === claimed, fits ? 'The result fits the schema of the card.' : 'The result does not fit the schema of the card, as the proof says.', 'The proof says otherwise of the result and the schema of the card.'); // prettier-ignore
}

function outputSchemaOf(card: unknown, skill: string): Record<string, unknown> | undefined {
  const skills = isObject(card) && Array.isArray(card['skills']) ? card['skills'] : [];
  const skillEntry: unknown = skills.find((one: unknown) => isObject(one) && one['id'] === skill);
  const declared = isObject(skillEntry) ? skillEntry['output_schema'] : undefined;
  return isObject(declared) ? declared : undefined;
}

function commit({ head_sha }: ProofPayload, { hasCommit }: BesideProof): Finding {
  const name = 'Source';
  if (head_sha === null) return open(name, 'The deployment names no commit of its source.');
  if (hasCommit === undefined) return open(name, `No clone is at hand; the proof names the commit ${head_sha}.`);
  return same(name, hasCommit, `The clone has the commit ${head_sha}.`, `The clone does not have the commit ${head_sha}: it is of another source, or the history was rewritten.`); // prettier-ignore
}

function image({ agent }: ProofPayload, beside: BesideProof): Finding {
  const name = 'Image';
  if (agent.image === null) return open(name, 'The agent runs elsewhere: there is no image.');
  if (beside.image === undefined) return open(name, `The proof and its receipt name the image ${agent.image}.`);
  return same(name, agent.image === beside.image, 'It is the image at hand.', `The proof names the image ${agent.image}, which is another.`);
}

function read<T>(token: string, is: (value: unknown) => value is T): SignedToken<T> | undefined {
  const [head = '', tail = '', ...rest] = token.trim().split('.');
  const [bytes, signed] = [fromBase64Url(head), fromBase64Url(tail)];
  if (!bytes?.length || signed?.length !== 64 || rest.length > 0) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const payload: unknown = JSON.parse(text);
    return is(payload) && canonicalJson(payload) === text ? { payload, bytes, signature: signed } : undefined;
  } catch {
    return undefined;
  }
}

function isProof(value: unknown): value is ProofPayload {
  if (!isObject(value) || value['type'] !== 'svc.proof.v1') return false;
  const { agent, input, receipt, limits, counts, checks } = value;
  return (
    texts(value, ['proof_id', 'kid', 'skill', 'card_sha256', 'run_by', 'status', 'started_at', 'ended_at']) &&
    textsOrNull(value, ['head_sha', 'output_sha256', 'grant_id', 'error_code']) &&
    isObject(agent) &&
    texts(agent, ['name', 'version', 'deployment_id']) &&
    textsOrNull(agent, ['image']) &&
    isObject(input) &&
    texts(input, ['sha256', 'case']) &&
    textsOrNull(input, ['seed']) &&
    isObject(receipt) &&
    texts(receipt, ['receipt_id', 'sha256']) &&
    isObject(limits) &&
    numbers(limits, ['deadline_seconds', 'budget_micros']) &&
    isObject(counts) &&
    numbers(counts, ['checks', 'passed', 'events', 'files', 'tool_calls', 'handoffs']) &&
    numbers(value, ['elapsed_ms']) &&
    Array.isArray(checks) &&
    checks.every((one: unknown) => isObject(one) && texts(one, ['name']) && textsOrNull(one, ['reason']) && typeof one['passed'] === 'boolean')
  );
}

/** All that this file reads is there and of its type. */
function isReceipt(value: unknown): value is ReceiptPayload {
  if (!isObject(value) || value['type'] !== 'svc.receipt.v1') return false;
  const { agent, grants } = value;
  return (
    texts(value, ['receipt_id', 'kid', 'skill', 'input_sha256', 'status', 'ended_at']) &&
    textsOrNull(value, ['output_sha256']) &&
    isObject(agent) &&
    texts(agent, ['name', 'version']) &&
    textsOrNull(agent, ['deployment_id', 'image']) &&
    Array.isArray(grants)
  );
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const texts = (of: Record<string, unknown>, names: readonly string[]): boolean => names.every((name) => typeof of[name] === 'string');
const numbers = (of: Record<string, unknown>, names: readonly string[]): boolean => names.every((name) => Number.isInteger(of[name]));
const textsOrNull = (of: Record<string, unknown>, names: readonly string[]): boolean =>
  names.every((name) => of[name] === null || typeof of[name] === 'string');

/** 32 bytes of base64; undefined for anything else. */
function keyBytes(text: string): Uint8Array | undefined {
  const bytes = fromBase64Url(text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''));
  return bytes?.length === 32 ? bytes : undefined;
}

// Checks an export of decision records with only Node: node verify-export.mjs export.ndjson keys.json
// keys.json is what GET /v1/public/receipt-keys answers. It ends with 0 when everything holds, with 1 when
// something does not, with 2 when it could not look.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file, keysFile] = process.argv.slice(2);
if (!file || !keysFile) {
  console.error('Usage: node verify-export.mjs export.ndjson keys.json');
  process.exit(2);
}

const keys = new Map(JSON.parse(readFileSync(keysFile, 'utf8')).keys.map((key) => [key.kid, key]));
const problems = [];
const sha256 = (data) => createHash('sha256').update(data).digest('hex');
// What comes before the 32 bytes of an Ed25519 key in its DER form (RFC 8410).
const DER = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * The payload of base64url(payload).base64url(signature), when a published key that was good at its end
 * signed it.
 */
function signed(token) {
  const [head, tail] = token.split('.');
  const bytes = Buffer.from(head, 'base64url');
  const payload = JSON.parse(bytes.toString('utf8'));
  const key = keys.get(payload.kid);
  if (!key) throw new Error(`no published key ${payload.kid}`);
  const publicKey = createPublicKey({ key: Buffer.concat([DER, Buffer.from(key.public_key, 'base64')]), format: 'der', type: 'spki' });
  if (!verify(null, bytes, publicKey, Buffer.from(tail, 'base64url'))) throw new Error('the signature does not match');
  const end = Date.parse(payload.ended_at);
  if (!(Date.parse(key.not_before) <= end && end <= Date.parse(key.not_after))) throw new Error('the key was not good at that time');
  return { payload, hash: sha256(bytes) };
}

function check(what, work) {
  try {
    return work();
  } catch (error) {
    problems.push(`${what}: ${error.message}`);
  }
}

function mustBeSame(pairs) {
  for (const [name, a, b] of pairs) if (JSON.stringify(a) !== JSON.stringify(b)) throw new Error(`${name} is ${JSON.stringify(a)}, not ${JSON.stringify(b)}`);
}

let chain = '';
let header;
let manifest;
let before;
const counts = { lines: 0, controls: 0, agents: 0, records: 0, skill_execution: 0, authorization: 0, admin_action: 0, valid: 0, invalid: 0, not_applicable: 0 };
const chains = new Map();

function record(line) {
  counts.records += 1;
  counts[line.kind] += 1;
  counts[line.signature_status] += 1;
  if (!header?.kinds.includes(line.kind) || line.recorded_at < header.from || line.recorded_at >= header.to) throw new Error('it is not of what was asked for');
  if (before !== undefined && line.recorded_at > before) throw new Error('it is not in its place');
  before = line.recorded_at;
  if (line.kind !== 'skill_execution') return;
  const { payload, hash } = signed(line.token);
  mustBeSame([
    ['the id', payload.receipt_id, line.record_id],
    ['the agent', payload.agent.name, line.agent],
    ['the skill', payload.skill, line.action],
    ['the outcome', payload.status, line.outcome],
    ['the end', Date.parse(payload.ended_at), Date.parse(line.occurred_at)],
    ['the signature', 'valid', line.signature_status],
  ]);
  // Newest first: the line before in the file comes after in the agent's chain.
  const later = chains.get(line.agent);
  chains.set(line.agent, { seq: payload.seq, previous: payload.previous_sha256 });
  if (later?.seq === payload.seq + 1 && later.previous !== hash) throw new Error('the receipt after it does not name its hash');
}

for await (const text of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
  const line = check(`line ${counts.lines + 1}`, () => JSON.parse(text));
  if (!line) break;
  if (manifest) problems.push('something follows the manifest');
  if (line.line === 'manifest') {
    manifest = check('the manifest', () => signed(line.token).payload) ?? {};
    continue;
  }
  chain = sha256(chain === '' ? text : `${chain}\n${text}`);
  counts.lines += 1;
  if (line.line === 'header') header = line;
  else if (line.line === 'control') counts.controls += 1;
  else if (line.line === 'agent') counts.agents += 1;
  else if (line.line === 'record') check(line.record_id, () => record(line));
  else problems.push(`line ${counts.lines} is of no kind that is known`);
}

check('the manifest', () => {
  if (!header || !manifest) throw new Error('the file was cut off');
  if (manifest.type !== 'svc.compliance-export.v1') throw new Error('it is of another kind of document');
  mustBeSame([
    ['the hash of the lines', manifest.chain_sha256, chain],
    ...Object.keys(counts).map((name) => [`the count of ${name}`, manifest.counts?.[name], counts[name]]),
    ...['export_id', 'organization', 'from', 'to', 'kinds', 'max_records'].map((name) => [name, manifest[name], header[name]]),
  ]);
});

if (problems.length > 0) {
  for (const problem of problems.slice(0, 20)) console.error(problem);
  console.error(`It does not hold: ${problems.length} problems.`);
  process.exit(1);
}
const { export_id, organization, from, to, complete } = manifest;
console.log(`${export_id} holds: ${counts.records} records of ${organization.slug}, from ${from} to ${to}${complete ? '' : ' (not all: there were more)'}.`);
console.log(`${counts.skill_execution} receipts are signed, ${counts.authorization} authorizations, ${counts.admin_action} changes.`);

// node verify.ts KEYS.json < TOKENS: checks signatures, times of keys and chains of receipts.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

interface Key {
  kid: string;
  public_key: string;
  not_before: string;
  not_after: string;
}

interface Receipt {
  type: string;
  receipt_id: string;
  kid: string;
  agent: { name: string };
  skill: string;
  status: string;
  ended_at: string;
  seq: number;
  previous_sha256: string | null;
}

const { keys } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as { keys: Key[] };
const seen = new Map<string, { receipt: Receipt; sha256: string }>();

for (const token of (await text(process.stdin)).split(/\s+/).filter(Boolean)) {
  const [body = Buffer.alloc(0), signature = Buffer.alloc(0)] = token.split('.').map((part) => Buffer.from(part, 'base64url'));
  const receipt = JSON.parse(body.toString('utf8')) as Receipt;
  const key = keys.find(({ kid }) => kid === receipt.kid);
  if (receipt.type !== 'svc.receipt.v1' || !key || !verify(null, body, publicKey(key), signature)) {
    throw new Error('the signature is not of a published key');
  }
  if (receipt.ended_at < key.not_before || receipt.ended_at > key.not_after) throw new Error('the key was not valid when the call ended');
  seen.set(`${receipt.agent.name} ${receipt.seq}`, { receipt, sha256: createHash('sha256').update(body).digest('hex') });
  process.stdout.write(`valid ${receipt.receipt_id} ${receipt.agent.name} ${receipt.skill} ${receipt.status}\n`);
}

for (const { receipt } of seen.values()) {
  const { agent, seq, previous_sha256: previous } = receipt;
  const before = seen.get(`${agent.name} ${seq - 1}`);
  if ((seq === 1) !== (previous === null) || (before && before.sha256 !== previous)) {
    throw new Error(`${agent.name}: receipt ${seq} does not link to the one before`);
  }
}

function publicKey({ public_key }: Key) {
  const x = Buffer.from(public_key, 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

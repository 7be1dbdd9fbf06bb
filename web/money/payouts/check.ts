// Checks a statement in this browser, with the keys that are published here.
import { webCrypto } from '#contract/wire/secure-context.ts';
import type { StatementLine } from '#contract/wire/statement.ts';
import { checkStatement, type StatementVerdict } from '#contract/wire/statement-check.ts';
import { client } from '../../api/client.ts';
import { linesOf } from '../../api/lines.ts';
import { keyBytes, verifySignature } from '../../kit/ed25519.ts';

/** Of a long statement these are shown. */
export const SHOWN = 200;

export interface CheckedStatement extends StatementVerdict {
  lines: StatementLine[];
  ms: number;
}

export async function readStatement(runId: string, signal: AbortSignal): Promise<CheckedStatement> {
  const began = performance.now();
  const [{ keys }, response] = await Promise.all([client.public.receiptKeys(), client.payouts.statement({ params: { run_id: runId } }, { signal })]);
  const lines: StatementLine[] = [];
  const verdict = await checkStatement(linesOf(response), {
    hash: async (bytes) => new Uint8Array(await webCrypto().digest('SHA-256', new Uint8Array(bytes))),
    verify: verifySignature,
    keyOf: (kid) => {
      const key = keys.find((one) => one.kid === kid);
      const bytes = key && keyBytes(key.public_key);
      return key && bytes && { bytes, notBefore: Date.parse(key.not_before), notAfter: Date.parse(key.not_after) };
    },
    onLine: (line) => {
      if (lines.length < SHOWN) lines.push(line);
      return undefined;
    },
  });
  return { ...verdict, lines, ms: performance.now() - began };
}

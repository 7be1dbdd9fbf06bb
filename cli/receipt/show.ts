// A receipt as people read it.
import type { ReceiptPayload } from '#contract/wire/receipt.ts';
import { dollars } from '../lib/dollars.ts';
import { plain } from '../lib/output.ts';
import type { Verdict } from './check.ts';

export function receiptLines(verdict: Verdict): string[] {
  const signature =
    verdict.state === 'valid' ? `valid (by ${verdict.keyFrom})` : `${verdict.state === 'invalid' ? 'NOT VALID' : 'not checked'}: ${verdict.reason}`;
  const { payload } = verdict;
  const rows: [string, string][] = payload ? [...rowsOf(payload), ['Signature', signature]] : [['Signature', signature]];
  return rows.map(([name, value]) => `${name.padEnd(11)} ${plain(value)}`);
}

/** Where the call had a price. */
function costOf({ charge }: ReceiptPayload): [string, string][] {
  if (!charge) return [];
  const { amount_micros, max_micros, free, units, price_id } = charge;
  const counted = `${units.calls} calls, ${units.seconds} s, ${units.tokens} tokens, ${units.artifacts} artifacts`;
  const what = free ? 'nothing: a free call' : `${dollars(amount_micros)} of at most ${dollars(max_micros)}`;
  return [['Cost', `${what}, for ${counted}, by price ${price_id}`]];
}

function decided({ kind, state, wait_id, arguments_sha256: sha256 }: NonNullable<ReceiptPayload['decisions']>[number]): string {
  return `${kind.replaceAll('_', ' ')} ${state} (${wait_id}${sha256 === null ? '' : `, arguments ${sha256}`})`;
}

function rowsOf(receipt: ReceiptPayload): [string, string][] {
  const { agent, caller } = receipt;
  const list = (items: readonly string[]) => (items.length === 0 ? 'none' : items.join(', '));
  return [
    ['Receipt', `${receipt.receipt_id}, number ${receipt.seq} of ${agent.name}, key ${receipt.kid}`],
    ['Agent', `${agent.name} ${agent.version}${agent.deployment_id === null ? '' : `, deployment ${agent.deployment_id}`}`],
    ['Caller', `${caller.kind}${caller.id === null ? '' : ` ${caller.id}`}`],
    ['Call', `${receipt.skill}, input sha256 ${receipt.input_sha256}`],
    ['Authority', `grants: ${list(receipt.grants)}`],
    ...(receipt.decisions ? [['Decisions', list(receipt.decisions.map(decided))] as [string, string]] : []),
    [
      'Effects',
      `files: ${list(receipt.files.map(({ operation, path }) => `${operation} ${path}`))}; tools: ${list(receipt.tool_calls.map(({ name, status }) => `${name} ${status}`))}; handoffs: ${list(receipt.handoffs.map(({ agent: to, skill, status }) => `${to}.${skill} ${status}`))}`,
    ],
    ...(receipt.left_out
      ? [['Left out', list(Object.entries(receipt.left_out).map(([what, count]) => `${count} more ${what.replaceAll('_', ' ')}`))] as [string, string]]
      : []),
    [
      'Outcome',
      `${receipt.status}${receipt.error_code === null ? '' : ` (${receipt.error_code})`}${receipt.output_sha256 === null ? '' : `, output sha256 ${receipt.output_sha256}`}`,
    ],
    ...costOf(receipt),
    ['Timing', `${receipt.started_at} to ${receipt.ended_at}, ${receipt.duration_ms} ms`],
    ['Runtime', receipt.runtime],
    ['Previous', receipt.previous_sha256 ?? 'none: the first of its chain'],
  ];
}

/** Whether its signature holds, in a sentence. */
export function sentence(verdict: Verdict): string {
  const id = plain(verdict.payload?.receipt_id ?? 'the receipt');
  if (verdict.state === 'valid')
    return `Valid: ${id}, ${plain(verdict.payload.agent.name)}.${plain(verdict.payload.skill)}, ${verdict.payload.status} (by ${verdict.keyFrom})`;
  if (verdict.state === 'invalid') return `Not valid: ${id}: ${plain(verdict.reason)}`;
  return `Not checked: ${id}: ${plain(verdict.reason)}. Give the key with --key.`;
}

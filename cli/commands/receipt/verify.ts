import { Command } from 'clipanion';
import { EXIT } from '../../lib/exit-codes.ts';
import { plain } from '../../lib/output.ts';
import { checkChain, type Verdict } from '../../receipt/check.ts';
import { ReceiptCommand } from '../../receipt/command.ts';

export class ReceiptVerifyCommand extends ReceiptCommand {
  static override paths = [['receipt', 'verify']];
  static override usage = Command.Usage({
    description: 'check the signature of a receipt',
    details:
      'Exits 0 when every signature holds, 1 otherwise. Given several tokens (separated by white space) it checks that each links to the one before, too. With --key nothing is fetched.',
    examples: [
      ['By id', 'svc receipt verify rcp_… --agent text-kit'],
      ['Offline', 'svc receipt verify --token @receipt.txt --key AbC…='],
    ],
  });

  async execute(): Promise<number> {
    const verdicts = await this.verdicts();
    const { broken, gaps } = checkChain(verdicts.filter((verdict) => verdict.state === 'valid'));
    const ok = broken.length === 0 && verdicts.every(({ state }) => state === 'valid');
    const output = this.output(this.json);
    output.result(
      { valid: ok, receipts: verdicts.map(({ payload, ...rest }) => ({ receipt_id: payload?.receipt_id ?? null, ...rest })), chain: { broken, gaps } },
      [
        ...verdicts.map((verdict) => (verdict.state === 'valid' ? output.good(sentence(verdict)) : output.bad(sentence(verdict)))),
        ...broken.map((text) => output.bad(`Broken chain: ${plain(text)}`)),
        ...gaps.map((text) => `Gap: ${plain(text)}`),
      ],
    );
    return ok ? EXIT.ok : EXIT.failure;
  }
}

function sentence(verdict: Verdict): string {
  const id = plain(verdict.payload?.receipt_id ?? 'the receipt');
  if (verdict.state === 'valid')
    return `Valid: ${id}, ${plain(verdict.payload.agent.name)}.${plain(verdict.payload.skill)}, ${verdict.payload.status} (by ${verdict.keyFrom})`;
  if (verdict.state === 'invalid') return `Not valid: ${id}: ${plain(verdict.reason)}`;
  return `Not checked: ${id}: ${plain(verdict.reason)}. Give the key with --key.`;
}

// The signed statement of a run that paid creators: saved, checked, and proved of one receipt.
import { Option } from 'clipanion';
import { StatementInvalid } from '#contract/wire/statement.ts';
import type { StatementTools, StatementVerdict } from '#contract/wire/statement-check.ts';
import type { Api } from '../../lib/api.ts';
import { customCommand } from '../../lib/command.ts';
import { signedDollars } from '../../lib/dollars.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { plain } from '../../lib/output.ts';

interface Checked {
  file: string;
  receipts: string | undefined;
  keys: string | undefined;
}

/** @throws StatementInvalid where it is none */
async function verdictOn({ file, receipts: receiptsFile, keys }: Checked, anonymous: Api): Promise<StatementVerdict> {
  const { keysInFile } = await import('../../proof/source.ts');
  const { checkInclusion, checkStatement } = await import('#contract/wire/statement-check.ts');
  const { keyRing, sha256, verifySignature } = await import('../../payouts/signature.ts');
  const { inclusionIn, linesOf } = await import('../../payouts/statement-file.ts');
  const { receiptFault, receiptsInFile } = await import('../../payouts/receipts.ts');
  const keyOf = keyRing(keys === undefined ? (await anonymous.public.receiptKeys()).keys : await keysInFile(keys));
  const receipts = receiptsFile === undefined ? undefined : receiptsInFile(receiptsFile);
  const onLine: StatementTools['onLine'] = receipts && ((line, payload) => receiptFault(line, payload, { receipts, keyOf }));
  const tools: StatementTools = { hash: sha256, verify: verifySignature, keyOf, ...(onLine && { onLine }) };
  const inclusion = await inclusionIn(file);
  return inclusion ? checkInclusion(inclusion, tools) : checkStatement(await linesOf(file), tools);
}

export const commands = [
  customCommand('payouts statement', {
    about: 'save the signed statement of a run that paid you, receipt by receipt',
    details: 'The file has a JSON value on each line: first the signed summary, then the lines. Check it with svc payouts verify.',
    examples: [['With its receipts', 'svc payouts statement por_… --out statement.json --receipts receipts.json']],
    arguments: { run: 'RUN' },
    options: () => ({
      out: Option.String('--out,-o', 'statement.json', { description: 'file to write' }),
      receipts: Option.String('--receipts', { description: 'file to write the receipts to' }),
    }),
    run: async ({ run: run_id, out, receipts }, { client: { payouts } }) => {
      const { save } = await import('../../payouts/statement-file.ts');
      const params = { run_id };
      await save(await payouts.statement({ params }), out);
      if (receipts !== undefined) await save(await payouts.receipts({ params }), receipts);
      return { statement: out, receipts: receipts ?? null };
    },
    lines: ({ statement }) => [statement],
    hint: ({ statement, receipts }) => `Check it with: svc payouts verify ${statement}${receipts === null ? '' : ` --receipts ${receipts}`}`,
  }),
  customCommand('payouts verify', {
    about: 'check a payout statement: its signature, its lines, their sum, and the receipts that it names',
    details:
      'FILE is the output of svc payouts statement, or of svc payouts inclusion for one line. With --receipts, each receipt is compared with its line, too. With --keys nothing is fetched. Ends with 0 when everything holds, with 1 otherwise.',
    examples: [
      ['With the published keys', 'svc payouts verify statement.json'],
      ['Offline, with every receipt', 'svc payouts verify statement.json --receipts receipts.json --keys keys.json'],
    ],
    arguments: { file: 'FILE' },
    options: () => ({
      receipts: Option.String('--receipts', { description: 'file with the receipts (svc payouts statement RUN --receipts FILE)' }),
      keys: Option.String('--keys', { description: 'file with the published keys, as /v1/public/receipt-keys answers them' }),
    }),
    run: async (given, { anonymous }) => {
      try {
        const { payload, faults } = await verdictOn(given, anonymous);
        return { valid: faults.length === 0, statement: payload, receipts_checked: given.receipts !== undefined, faults };
      } catch (error) {
        if (!(error instanceof StatementInvalid)) throw error;
        return { valid: false, statement: null, receipts_checked: false, faults: [error.message] };
      }
    },
    lines: ({ valid, statement, receipts_checked, faults }, _, output) => {
      if (statement === null) return faults.map((fault) => output.bad(`Not valid: ${plain(fault)}`));
      const { statement_id, run_id, paid_micros, account, lines } = statement;
      const about = plain(`${statement_id} of run ${run_id}: ${signedDollars(paid_micros)} to ${account}, ${lines} lines`);
      if (!valid) return [output.bad(`Not valid: ${about}`), ...faults.map((fault) => `- ${plain(fault)}`)];
      const beside = receipts_checked
        ? 'Each receipt is the one that its line names.'
        : 'Receipts were not given: --receipts FILE holds them against the lines.';
      return [output.good(`Valid: ${about}`), beside];
    },
    exit: ({ valid }) => (valid ? EXIT.ok : EXIT.failure),
  }),
  customCommand('payouts inclusion', {
    about: 'print a proof that one receipt is in a payout statement, without the other lines',
    examples: [['One receipt', 'svc payouts inclusion statement.json rcp_… > line.json']],
    arguments: { file: 'FILE', receipt: 'RECEIPT' },
    aboutJson: 'print JSON, as without it',
    run: async ({ file, receipt }, { output }) => {
      const { inclusionOf } = await import('../../payouts/statement-file.ts');
      output.line(JSON.stringify(await inclusionOf(file, receipt)));
      return undefined;
    },
  }),
];

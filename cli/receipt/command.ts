// Parameters that show and verify share.
import { Option } from 'clipanion';
import { ApiCommand } from '../lib/api-command.ts';
import { checkReceipt, type KeySource, type Verdict } from './check.ts';
import { receiptTokens } from './tokens.ts';

export abstract class ReceiptCommand extends ApiCommand {
  receiptId = Option.String({ required: false, name: 'RECEIPT_ID' });
  token = Option.String('--token', { description: 'the receipt itself: inline, @file or -' });
  agent = Option.String('--agent', { description: 'whose receipt it is (default: the project in this folder, or else any of your agents)' });
  key = Option.String('--key', { description: 'base64 Ed25519 public key, to check offline (SVC_RECEIPT_VERIFYING_KEY)' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  protected async verdicts(): Promise<Verdict[]> {
    const { context, receiptId: id, token, agent } = this;
    const tokens = await receiptTokens({ id, token, agent, stdin: context.stdin, client: () => this.client() });
    let fetched: ReturnType<KeySource['published']> | undefined;
    const published = () =>
      (fetched ??= this.anonymous()
        .public.receiptKeys()
        .then(({ keys }) => keys));
    const keys: KeySource = { option: this.key, environment: context.settings.receiptKey, published };
    return Promise.all(tokens.map((one) => checkReceipt(one, keys)));
  }
}

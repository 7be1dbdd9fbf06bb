// Receipts of calls: listed, shown, checked.
import { Option } from 'clipanion';
import type { Api } from '../lib/api.ts';
import { type By, integer } from '../lib/api-command.ts';
import { type Answer, customCommand, type Row } from '../lib/command.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { plain } from '../lib/output.ts';
import { checkChain, checkReceipt, type KeySource, type Verdict } from '../receipt/check.ts';
import { receiptLines, sentence } from '../receipt/show.ts';
import { agentHere, receiptTokens } from '../receipt/tokens.ts';

const PAGE = 100;

type Receipt = Row<Answer<'agentReceipts.list'>>;

async function newest(client: Api, name: string, limit: number): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  let cursor: string | null | undefined;
  do {
    const query = { limit: Math.min(PAGE, limit - receipts.length), ...(cursor ? { cursor } : {}) };
    const page = await client.agentReceipts.list({ params: { name }, query });
    receipts.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor && receipts.length < limit);
  return receipts;
}

const receiptArguments = { receiptId: '[RECEIPT_ID]' } as const;

const receiptOptions = () => ({
  token: Option.String('--token', { description: 'the receipt itself: inline, @file or -' }),
  agent: Option.String('--agent', { description: 'whose receipt it is (default: the project in this folder, or else any of your agents)' }),
  key: Option.String('--key', { description: 'base64 Ed25519 public key, to check offline (SVC_RECEIPT_VERIFYING_KEY)' }),
});

type Named = ReturnType<typeof receiptOptions> & { receiptId: string | undefined };

async function verdicts({ receiptId: id, token, agent, key }: Named, { client, anonymous, context }: By): Promise<Verdict[]> {
  const tokens = await receiptTokens({ id, token, agent, stdin: context.stdin, client: () => client });
  let fetched: ReturnType<KeySource['published']> | undefined;
  const published = () => (fetched ??= anonymous.public.receiptKeys().then(({ keys }) => keys));
  const keys: KeySource = { option: key, environment: context.settings.receiptKey, published };
  return Promise.all(tokens.map((one) => checkReceipt(one, keys)));
}

export const commands = [
  customCommand('receipt list', {
    about: 'list recent receipts of an agent, newest first',
    details: 'Without AGENT: of the project in this folder, or, outside of a project, of all your agents.',
    examples: [['The five newest', 'svc receipt list text-kit --limit 5']],
    arguments: { agent: '[AGENT]' },
    options: () => ({ limit: Option.String('--limit,-n', '20', { description: 'how many' }) }),
    run: async ({ agent, limit: typed }, { client, output }) => {
      const limit = integer('--limit', typed, { min: 1, max: 10_000 });
      const name = agent ?? (await agentHere());
      const names = name === undefined ? (await client.agents.mineSummary()).map((one) => one.name) : [name];
      const all: Receipt[] = [];
      for (const of of names) all.push(...(await newest(client, of, limit)));
      if (all.length === 0) output.note(`No receipts of ${name ?? 'your agents'} that you may see.`);
      return all.toSorted((one, other) => other.created_at.localeCompare(one.created_at)).slice(0, limit);
    },
    columns: {
      RECEIPT: ({ receipt_id }) => receipt_id,
      SEALED: ({ created_at }) => created_at,
      SKILL: ({ skill }) => plain(skill),
      STATUS: ({ status }) => status,
      TOOK: ({ payload }) => `${payload.duration_ms} ms`,
      CALLER: ({ payload }) => payload.caller.kind,
    },
  }),
  customCommand('receipt show', {
    about: 'print identity, call, authority, effects, outcome and timing of a receipt',
    details: 'Exits 1 when the signature is bad, 0 when it is good or nothing could check it.',
    examples: [
      ['By id', 'svc receipt show rcp_… --agent text-kit'],
      ['From a file', 'svc receipt show --token @receipt.txt'],
    ],
    arguments: receiptArguments,
    options: receiptOptions,
    run: verdicts,
    json: (all) => {
      const documents = all.map((verdict) => ({
        signature: verdict.state,
        reason: 'reason' in verdict ? verdict.reason : null,
        receipt: verdict.payload ?? null,
      }));
      return documents.length === 1 ? documents[0] : documents;
    },
    lines: (all) => all.flatMap((verdict, i) => [...(i === 0 ? [] : ['']), ...receiptLines(verdict)]),
    exit: (all) => (all.some(({ state }) => state === 'invalid') ? EXIT.failure : EXIT.ok),
  }),
  customCommand('receipt verify', {
    about: 'check the signature of a receipt',
    details:
      'Exits 0 when every signature holds, 1 otherwise. Given several tokens (separated by white space) it checks that each links to the one before, too. With --key nothing is fetched.',
    examples: [
      ['By id', 'svc receipt verify rcp_… --agent text-kit'],
      ['Offline', 'svc receipt verify --token @receipt.txt --key AbC…='],
    ],
    arguments: receiptArguments,
    options: receiptOptions,
    run: async (given, by) => {
      const receipts = await verdicts(given, by);
      const chain = checkChain(receipts.filter((verdict) => verdict.state === 'valid'));
      return { valid: chain.broken.length === 0 && receipts.every(({ state }) => state === 'valid'), receipts, chain };
    },
    json: ({ valid, receipts, chain }) => ({
      valid,
      receipts: receipts.map(({ payload, ...rest }) => ({ receipt_id: payload?.receipt_id ?? null, ...rest })),
      chain: { broken: chain.broken, gaps: chain.gaps },
    }),
    lines: ({ receipts, chain }, _, output) => [
      ...receipts.map((verdict) => (verdict.state === 'valid' ? output.good(sentence(verdict)) : output.bad(sentence(verdict)))),
      ...chain.broken.map((text) => output.bad(`Broken chain: ${plain(text)}`)),
      ...chain.gaps.map((text) => `Gap: ${plain(text)}`),
    ],
    exit: ({ valid }) => (valid ? EXIT.ok : EXIT.failure),
  }),
];

import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../../lib/api-command.ts';
import type { Api } from '../../lib/api.ts';
import { plain, table } from '../../lib/output.ts';

const PAGE = 100;

type Receipt = Awaited<ReturnType<Api['agentReceipts']['list']>>['items'][number];

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

export class ReceiptListCommand extends ApiCommand {
  static override paths = [['receipt', 'list']];
  static override usage = Command.Usage({
    description: 'list recent receipts of an agent, newest first',
    details: 'Without AGENT: of the project in this folder, or, outside of a project, of all your agents.',
    examples: [['The five newest', 'svc receipt list text-kit --limit 5']],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  limit = Option.String('--limit,-n', '20', { description: 'how many' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const limit = integer('--limit', this.limit, { min: 1, max: 10_000 });
    const { agentHere } = await import('../../receipt/tokens.ts');
    const name = this.agent ?? (await agentHere());
    const client = this.client();
    const names = name === undefined ? (await client.agents.mineSummary()).map((agent) => agent.name) : [name];
    const all: Receipt[] = [];
    for (const of of names) all.push(...(await newest(client, of, limit)));
    const receipts = all.toSorted((one, other) => other.created_at.localeCompare(one.created_at)).slice(0, limit);
    const output = this.output(this.json);
    if (receipts.length === 0) output.note(`No receipts of ${name ?? 'your agents'} that you may see.`);
    output.result(receipts, () => {
      if (receipts.length === 0) return [];
      const rows = receipts.map(({ receipt_id: id, skill, status, created_at: at, payload }) => [
        id,
        at,
        plain(skill),
        status,
        `${payload.duration_ms} ms`,
        payload.caller.kind,
      ]);
      return table(['RECEIPT', 'SEALED', 'SKILL', 'STATUS', 'TOOK', 'CALLER'], rows);
    });
    return 0;
  }
}

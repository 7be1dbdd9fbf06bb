// A receipt by its id, with the hash of the one before it where the reader may see that one.
import { queryOptions } from '@tanstack/react-query';
import { send, type Output } from '../../api/client.ts';
import { read } from '../../api/query.ts';

type Receipt = Output<'agentReceipts', 'get'>;

export interface LoadedReceipt {
  receipt: Receipt;
  previous: string | undefined;
}

/** What receipts are checked with. */
export const keysQuery = { ...read('public', 'receiptKeys'), staleTime: 60_000 };

const PAGE = 100;
const MAX_PAGES = 3;

export function receiptQuery(agent: string, id: string) {
  return queryOptions({
    queryKey: ['agentReceipts', 'with the one before', agent, id],
    // A receipt never changes.
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<LoadedReceipt> => {
      const receipt = await send('agentReceipts', 'get', { params: { name: agent, receipt_id: id } }, { signal });
      return { receipt, previous: receipt.payload.seq === 1 ? undefined : await previousOf(receipt, signal) };
    },
  });
}

/** Newest first, so it is near where the receipt is. Undefined: not among those that the reader may see. */
async function previousOf({ agent, payload }: Receipt, signal: AbortSignal): Promise<string | undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { items, next_cursor: next } = await send('agentReceipts', 'list', { params: { name: agent }, query: { limit: PAGE, cursor } }, { signal });
    const previous = items.find((one) => one.payload.seq === payload.seq - 1);
    if (previous) return previous.payload_sha256;
    if (next === null || items.some((one) => one.payload.seq < payload.seq - 1)) return undefined;
    cursor = next;
  }
  return undefined;
}

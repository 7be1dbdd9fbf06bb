// The end of a call whose run only computed: one statement deletes its row in open_calls and stores its
// receipt. Calls of one agent that end while the statement of others is under way share the next.
import type { Knex } from 'knex';
import { appendReceipts } from '../../evidence/receipt/append.ts';
import type { ChainEnd } from '../../evidence/receipt/link.ts';
import { batch, memoizeByKey } from '../../kernel/batch.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { isTransaction } from '../../kernel/tx.ts';
import { type Receipt, receiptFacts } from '../run/end.ts';
import type { CallFacts } from '../run/facts.ts';
import type { Outcome } from '../run/outcome.ts';

const TOGETHER = 64;
/** Agents whose chain this process remembers, the last called ones. */
const MAX_AGENTS = 2_000;

interface Ending {
  ctx: Ctx;
  call: CallFacts & { callId: string };
  outcome: Outcome;
}
type EndPlain = (ending: Ending) => Promise<Receipt | undefined>;

/**
 * Undefined, and nothing is written: the run has a row of its own, it is charged, or a sweep has ended the
 * call.
 */
export async function endPlainCall(ctx: Ctx, call: CallFacts & { callId?: string }, outcome: Outcome): Promise<Receipt | undefined> {
  const { callId } = call;
  // A call by a run has a row; what a call costs is settled with its receipt.
  if (callId === undefined || call.charged === true || call.caller.kind === 'run' || isTransaction(ctx.db)) return undefined;
  return endingsOf(ctx.db, call.route.agentId)({ ctx, call: { ...call, callId }, outcome });
}

const agents = memoizeByKey((_pool: Knex) => new Map<string, EndPlain>());

function endingsOf(pool: Knex, agentId: string): EndPlain {
  const byAgent = agents(pool);
  const endPlain = byAgent.get(agentId) ?? inOneStatement();
  byAgent.delete(agentId);
  byAgent.set(agentId, endPlain);
  const [oldest] = byAgent.keys();
  if (byAgent.size > MAX_AGENTS && oldest !== undefined) byAgent.delete(oldest);
  return endPlain;
}

function inOneStatement(): EndPlain {
  let known: ChainEnd | undefined;

  async function append(endings: readonly Ending[], end: ChainEnd | undefined): Promise<readonly Receipt[] | undefined> {
    const [first] = endings;
    if (!first) return [];
    const { ctx } = first;
    const facts = endings.map(({ call, outcome }) => receiptFacts(ctx, call, outcome));
    const appended = await appendReceipts(ctx, facts, end, plainCalls(ctx.db, endings));
    known = appended.end;
    return appended.sealed;
  }

  return batch<Ending, Receipt | undefined>(
    async (endings) => {
      const before = known;
      const receipts = await append(endings, before);
      if (receipts) return receipts;
      // Another process, or a transaction, has sealed meanwhile: once more, after what is the end now.
      const moved = known !== undefined && known.head.seq !== before?.head.seq;
      return (moved ? await append(endings, known) : undefined) ?? endings.map(() => undefined);
    },
    { maxConcurrent: 1, maxSize: TOGETHER },
  );
}

function plainCalls(db: Knex, endings: readonly Ending[]) {
  const calls = endings.map(({ call }) => call.callId);
  const runs = endings.map(({ call }) => call.run.run_id);
  return {
    holds: db.raw(
      `select call_id from open_calls where call_id = any(?) and receipt_id is null and not exists (select 1 from runs where run_id = any(?)) for update`,
      [calls, runs],
    ),
    also: db.raw('delete from open_calls using chain where call_id = any(?)', [calls]),
  };
}

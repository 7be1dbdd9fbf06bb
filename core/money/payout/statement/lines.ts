// Lines of a transfer in the order in which they are signed. They never change once they are in a run, so
// each reading gives the same bytes.
import type { Knex } from 'knex';
import type { StatementLine } from '#contract/wire/statement.ts';
import type { PayoutLinesRow } from '#db/tables.ts';

const BATCH = 5_000;

type Row = PayoutLinesRow & { day: string };

/** `onBatch` is called after each piece that was read. */
export async function* statementLines(db: Knex, transferId: string, onBatch: () => void = () => undefined): AsyncGenerator<StatementLine> {
  let after: { at: string; id: string } | undefined;
  do {
    const { rows } = await db.raw<{ rows: Row[] }>(
      `select l.*, l.at::text as day from payout_lines l where transfer_id = :transferId
       ${after ? 'and (at, line_id) > (:at::timestamptz, :id)' : ''} order by at, line_id limit ${BATCH}`,
      { transferId, ...after },
    );
    for (const row of rows) yield lineOf(row);
    const last = rows.length === BATCH ? rows.at(-1) : undefined;
    after = last && { at: last.day, id: last.line_id };
    onBatch();
  } while (after);
}

function lineOf(row: PayoutLinesRow): StatementLine {
  return {
    type: 'line',
    line_id: row.line_id,
    kind: row.kind,
    receipt_id: row.receipt_id,
    receipt_sha256: row.receipt_sha256,
    bounty_id: row.bounty_id,
    of_line_id: row.of_line_id,
    agent: row.agent_name,
    skill: row.skill,
    price_version: row.price_version,
    charged_micros: row.charged_micros,
    creator_micros: row.creator_micros,
    received_micros: row.received_micros,
    amount_micros: row.amount_micros,
    ...(row.of_transfer_id !== null && { of_transfer_id: row.of_transfer_id }),
    reason: row.reason,
    at: row.at.toISOString(),
  };
}

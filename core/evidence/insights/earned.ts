// What calls of an agent earned its owner: of charges that are settled, by the receipts that state them.
import { countsOf, type Slices, within, type Window } from './window.ts';

/**
 * SQL: rows (month, skill, amount) of the agent `:agent_id` in the window: sums of whole months, days and
 * hours; charges at its ends, and those that are not counted yet.
 */
export function earnedRows(window: Window, slices: Slices): string {
  const one = (charges: string) => `select r.created_at, c.skill, c.creator_micros from receipts r join ${charges} c on c.receipt_id = r.receipt_id
    where r.agent_id = :agent_id and c.agent_id = :agent_id and c.state = 'settled'`;
  // "offset 0": those that are not counted are looked up first, and their receipts then.
  const uncounted = `(select * from charges where agent_id = :agent_id and state = 'settled' and not counted offset 0)`;
  const rows = [
    ...countsOf('earned_sums', 'since, skill, amount_micros', slices),
    ...slices.exact.map((range) => `${one('charges')} and c.counted and ${within('r.created_at', [range])}`),
    `${one(uncounted)} and ${within('r.created_at', [window])}`,
  ];
  return `select to_char(at at time zone 'UTC', 'YYYY-MM'), skill, sum(amount)::bigint from (${rows.join(' union all ')}) e(at, skill, amount) group by 1, 2`;
}

export interface Earned {
  /** YYYY-MM, UTC. */
  month: string;
  skill: string;
  /** Micro-credits, without what the platform keeps. */
  amount: number;
}

/** When a skill had a price: the months that it touches. */
export interface Priced {
  skill: string;
  from: string;
  until: string;
}

/** SQL: rows (skill, from, until) of prices that were valid in the window. */
export function pricedRows({ from, to }: Window): string {
  const [since, until] = [from, to].map((at) => `'${new Date(at).toISOString()}'::timestamptz`);
  const month = (at: string): string => `to_char((${at}) at time zone 'UTC', 'YYYY-MM')`;
  return `select skill, ${month('valid_from')} as from, ${month(`coalesce(valid_until, ${until})`)} as until
    from skill_prices where agent_id = :agent_id and valid_from < ${until} and coalesce(valid_until, ${until}) > ${since}`;
}

/** null: the skill had no price in that month. */
export function amountIn({ month, skill }: { month: string; skill: string }, earned: readonly Earned[], priced: readonly Priced[]): number | null {
  const entry = earned.find((one) => one.month === month && one.skill === skill);
  if (entry) return entry.amount;
  return priced.some((one) => one.skill === skill && one.from <= month && month <= one.until) ? 0 : null;
}

// How an agent is used, and what it earned.
import { Option } from 'clipanion';
import { type CallInsightsOut, GROUPINGS } from '#contract/evidence/agent-insights.ts';
import { oneOf } from '../lib/api-command.ts';
import { dollars } from '../lib/dollars.ts';
import { percent } from '../evaluation/compare.ts';
import { instantOf, ms } from '../receipt/words.ts';
import { type Answer, command } from '../lib/command.ts';
import { plain, table } from '../lib/output.ts';

const HEAD = (name: string): string[] => [name.toUpperCase(), 'CALLS', 'FAILED', 'SHARE', 'CANCELLED', 'P50', 'P95', 'P99'];

function row(key: string, { calls, failed, cancelled, p50_ms, p95_ms, p99_ms }: CallInsightsOut['totals']): string[] {
  return [key, String(calls), String(failed), calls === 0 ? '-' : percent(failed / calls), String(cancelled), ms(p50_ms), ms(p95_ms), ms(p99_ms)];
}

const part = (name: string, rows: string[][]): string[] => (rows.length === 0 ? [] : ['', ...table(HEAD(name), rows)]);
const list = (head: string[], rows: string[][]): string[] => (rows.length === 0 ? [] : ['', ...table(head, rows)]);
const cost = (amount: number | null): string => (amount === null ? 'no price' : dollars(amount));

function callLines({ totals, by, groups, failures, sleep, models }: CallInsightsOut): string[] {
  return [
    ...table(HEAD(''), [row('all', totals)]),
    ...part(
      by ?? '',
      groups.map((group) => row(plain(group.key) || 'unknown', group)),
    ),
    ...list(
      ['FAILED BECAUSE', 'CALLS'],
      failures.map(({ code, calls }) => [plain(code), String(calls)]),
    ),
    ...list(
      ['WOKE FROM', 'TIMES', 'P50', 'P95', 'SLEPT'],
      sleep.map((one) => [one.tier, String(one.wakes), ms(one.wake_p50_ms), ms(one.wake_p95_ms), `${one.slept_seconds} s`]),
    ),
    ...list(
      ['MODEL', 'USES', 'TOKENS IN', 'TOKENS OUT', 'COST'],
      models.map((one) => [plain(one.model), String(one.uses), String(one.input_tokens), String(one.output_tokens), cost(one.cost_micros)]),
    ),
  ];
}

function payoutLines({ rule, qualifying, not_qualifying: not, months }: Answer<'agentInsights.payouts'>): string[] {
  return [
    rule,
    `${qualifying} receipts qualify; ${not.by_owner} are calls of its owner, ${not.without_account} of anonymous callers, ${not.not_ok} failed.`,
    ...list(
      ['MONTH', 'SKILL', 'RECEIPTS', 'AMOUNT'],
      months.map((one) => [one.month, plain(one.skill), String(one.receipts), cost(one.amount_micros)]),
    ),
  ];
}

export const commands = [
  command('insights', {
    about: 'show how your agent is used: calls, failures, latency, sleep, models, cost; or what it earned',
    details:
      'Counted from the receipts of its calls; percentiles are approximate (within 20 %). With --payouts: the receipts that qualify for a payout, by month and skill.',
    examples: [
      ['The last seven days', 'svc insights librarian'],
      ['One day, by skill', 'svc insights librarian --since 2026-11-20 --until 2026-11-21 --by skill'],
      ['Earnings of a year', 'svc insights librarian --payouts'],
    ],
    ofProject: true,
    options: () => ({
      since: Option.String('--since', { description: 'from when: an instant, a day, or a time ago such as 24h, 7d (default: 7d; with --payouts a year)' }),
      until: Option.String('--until', { description: 'up to when (default: now)' }),
      by: Option.String('--by', { description: `one line for each ${GROUPINGS.join(', ')}` }),
      payouts: Option.Boolean('--payouts', false, { description: 'what it earned' }),
    }),
    route: ({ payouts }) => (payouts ? 'agentInsights.payouts' : 'agentInsights.calls'),
    send: ({ agent, since, until, by: word, payouts }) => {
      const now = Date.now();
      const by = word === undefined ? undefined : oneOf('--by', word, GROUPINGS);
      const query = {
        ...(since !== undefined && { from: instantOf('--since', since, now) }),
        ...(until !== undefined && { to: instantOf('--until', until, now) }),
      };
      return { params: { name: agent }, query: payouts ? query : { ...query, ...(by !== undefined && { by }) } };
    },
    lines: (found) => ('totals' in found ? callLines(found) : payoutLines(found)),
    hint: (found, { agent }) => {
      if ('totals' in found) return found.totals.calls === 0 ? `${agent} was not called in this time. Call it with: svc call ${agent}` : undefined;
      return found.unpriced === null ? undefined : 'No price is set for this agent, so receipts are counted and there is no amount.';
    },
  }),
];

import { Command, Option } from 'clipanion';
import { type CallInsightsOut, GROUPINGS } from '#contract/evidence/agent-insights.ts';
import { ApiCommand, oneOf } from '../../command-base.ts';
import { percent } from '../../evaluation/compare.ts';
import { instantOf, ms } from '../../evidence-words.ts';
import { plain, table } from '../../output.ts';
import { agentName } from '../../project/name.ts';
import { dollars } from '../../dollars.ts';

export class InsightsCommand extends ApiCommand {
  static override paths = [['insights']];
  static override usage = Command.Usage({
    description: 'show how your agent is used: calls, failures, latency, sleep, models, cost; or what it earned',
    details:
      'Counted from the receipts of its calls; percentiles are approximate (within 20 %). With --payouts: the receipts that qualify for a payout, by month and skill.',
    examples: [
      ['The last seven days', 'svc insights librarian'],
      ['One day, by skill', 'svc insights librarian --since 2026-11-20 --until 2026-11-21 --by skill'],
      ['Earnings of a year', 'svc insights librarian --payouts'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  since = Option.String('--since', { description: 'from when: an instant, a day, or a time ago such as 24h, 7d (default: 7d; with --payouts a year)' });
  until = Option.String('--until', { description: 'up to when (default: now)' });
  by = Option.String('--by', { description: `one line for each ${GROUPINGS.join(', ')}` });
  payouts = Option.Boolean('--payouts', false, { description: 'what it earned' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const now = Date.now();
    const by = this.by === undefined ? undefined : oneOf('--by', this.by, GROUPINGS);
    const query = {
      ...(this.since !== undefined && { from: instantOf('--since', this.since, now) }),
      ...(this.until !== undefined && { to: instantOf('--until', this.until, now) }),
    };
    const name = await agentName(this.agent, this.project);
    if (this.payouts) return this.#payouts(name, query);
    const found = await this.client().agentInsights.calls({ params: { name }, query: { ...query, ...(by !== undefined && { by }) } });
    const output = this.output(this.json);
    if (found.totals.calls === 0) output.hint(`${name} was not called in this time. Call it with: svc call ${name}`);
    output.result(found, () => [
      ...table(HEAD(''), [row('all', found.totals)]),
      ...part(
        found.by ?? '',
        found.groups.map((group) => row(plain(group.key) || 'unknown', group)),
      ),
      ...list(
        ['FAILED BECAUSE', 'CALLS'],
        found.failures.map(({ code, calls }) => [plain(code), String(calls)]),
      ),
      ...list(
        ['WOKE FROM', 'TIMES', 'P50', 'P95', 'SLEPT'],
        found.sleep.map((one) => [one.tier, String(one.wakes), ms(one.wake_p50_ms), ms(one.wake_p95_ms), `${one.slept_seconds} s`]),
      ),
      ...list(
        ['MODEL', 'USES', 'TOKENS IN', 'TOKENS OUT', 'COST'],
        found.models.map((one) => [plain(one.model), String(one.uses), String(one.input_tokens), String(one.output_tokens), cost(one.cost_micros)]),
      ),
    ]);
    return 0;
  }

  async #payouts(name: string, query: { from?: string; to?: string }): Promise<number> {
    const found = await this.client().agentInsights.payouts({ params: { name }, query });
    const output = this.output(this.json);
    if (found.unpriced !== null) output.note('No price is set for this agent, so receipts are counted and there is no amount.');
    output.result(found, () => [
      found.rule,
      `${found.qualifying} receipts qualify; ${found.not_qualifying.by_owner} are calls of its owner, ${found.not_qualifying.without_account} of anonymous callers, ${found.not_qualifying.not_ok} failed.`,
      ...list(
        ['MONTH', 'SKILL', 'RECEIPTS', 'AMOUNT'],
        found.months.map((one) => [one.month, plain(one.skill), String(one.receipts), cost(one.amount_micros)]),
      ),
    ]);
    return 0;
  }
}

const HEAD = (name: string): string[] => [name.toUpperCase(), 'CALLS', 'FAILED', 'SHARE', 'CANCELLED', 'P50', 'P95', 'P99'];

function row(key: string, { calls, failed, cancelled, p50_ms, p95_ms, p99_ms }: CallInsightsOut['totals']): string[] {
  return [key, String(calls), String(failed), calls === 0 ? '-' : percent(failed / calls), String(cancelled), ms(p50_ms), ms(p95_ms), ms(p99_ms)];
}

const part = (name: string, rows: string[][]): string[] => (rows.length === 0 ? [] : ['', ...table(HEAD(name), rows)]);
const list = (head: string[], rows: string[][]): string[] => (rows.length === 0 ? [] : ['', ...table(head, rows)]);
const cost = (amount: number | null): string => (amount === null ? 'no price' : dollars(amount));

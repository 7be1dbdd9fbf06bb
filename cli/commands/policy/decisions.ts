import { Command, Option } from 'clipanion';
import type { PolicyDecisionOut } from '#contract/policy/policy-rules.ts';
import { POLICY_ACTIONS, POLICY_OUTCOMES } from '#contract/states.ts';
import { ApiCommand, integer, oneOf } from '../../command-base.ts';
import { plain, table } from '../../output.ts';

const PAGE = 200;

export class PolicyDecisionsCommand extends ApiCommand {
  static override paths = [['policy', 'decisions']];
  static override usage = Command.Usage({
    description: 'list what the rules of your account decided, newest first',
    examples: [
      ['The last fifty', 'svc policy decisions'],
      ['Denied decisions', 'svc policy decisions --outcome deny'],
      ['Connections to other hosts, as JSON', 'svc policy decisions --action egress --json'],
    ],
  });

  outcome = Option.String('--outcome', { description: POLICY_OUTCOMES.join(', ') });
  action = Option.String('--action', { description: POLICY_ACTIONS.join(', ') });
  limit = Option.String('--limit,-n', '50', { description: 'how many' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const limit = integer('--limit', this.limit, { min: 1, max: 100_000 });
    const filter = {
      ...(this.outcome !== undefined && { outcome: oneOf('--outcome', this.outcome, POLICY_OUTCOMES) }),
      ...(this.action !== undefined && { action: oneOf('--action', this.action, POLICY_ACTIONS) }),
    };
    const api = this.client().policy;
    const items: PolicyDecisionOut[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await api.decisions({ query: { ...filter, limit: Math.min(PAGE, limit - items.length), ...(cursor ? { cursor } : {}) } });
      items.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor && items.length < limit);
    const output = this.output(this.json);
    if (items.length === 0) output.hint('No decisions are kept. See: svc policy rules');
    else if (cursor) output.note(`There are more: --limit ${limit * 10}`);
    output.result(items, () => (items.length === 0 ? [] : table(['DECIDED (UTC)', 'OUTCOME', 'ACTION', 'WHO', 'WHAT', 'BY', 'DECISION'], items.map(row))));
    return 0;
  }
}

function row({ decision_id, decided_at, outcome, action, principal, agent, resource, reasons }: PolicyDecisionOut): string[] {
  const [who, what] = [agent ?? `${principal.type} ${principal.id}`, `${resource.type} ${resource.id}`];
  return [decided_at.slice(0, 19).replace('T', ' '), outcome, action, plain(who), plain(what).slice(0, 60), plain(reasons.join(', ')), decision_id];
}

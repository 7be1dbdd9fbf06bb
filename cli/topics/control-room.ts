// The control room: all that an account has to look at, on one screen.
import type { ControlRoomOut } from '#contract/overview/control-room.ts';
import { dollars } from '../lib/dollars.ts';
import { command } from '../lib/command.ts';
import { plain, table } from '../lib/output.ts';

const MOST_LINES = 10;

export const commands = [
  command('control-room', {
    about: 'show pending decisions, running work, spending, last actions and refusals',
    examples: [['On one screen', 'svc control-room']],
    route: 'controlRoom.get',
    send: () => ({ query: { receipts: 10, denials: 5 } }),
    lines: screen,
    hint: ({ waits }, { json }) => (!json && waits.items.length > 0 ? 'Decide with: svc answer' : undefined),
  }),
];

function screen({ policy, waits, runs, spend, receipts, denials }: ControlRoomOut): string[] {
  const budgets = spend.budgets.map(({ cap, of, limit_micros, spent_micros, reserved_micros }) => [`${cap}${of === null ? '' : ` ${plain(of)}`}`, dollars(spent_micros), dollars(reserved_micros), limit_micros === null ? 'none' : dollars(limit_micros)]); // prettier-ignore
  return [
    `${waits.items.length}${waits.more ? '+' : ''} waiting, ${runs.items.length}${runs.more ? '+' : ''} running, ${dollars(spend.cost_micros)} in ${spend.month}. Policy: ${policy.set ? `version ${policy.version}` : 'not set'}`,
    ...part('WAITS', ['KIND', 'AGENT', 'WHAT', 'UNTIL'], waits.items.map((one) => [one.kind, one.agent, plain(one.title), one.expires_at])), // prettier-ignore
    ...part('RUNS', ['RUN', 'SKILL', 'STATE', 'AGENT CALLS'], runs.items.map((one) => [one.run_id, `${one.agent}.${one.skill}`, one.state, String(one.agent_calls)])), // prettier-ignore
    ...part('BUDGETS', ['BUDGET', 'SPENT', 'RESERVED', 'OF'], budgets),
    ...part('LATEST', ['AT', 'SOURCE', 'WHAT', 'STATUS'], receipts.map((one) => [one.at, one.source, plain(one.title), one.denials > 0 ? `${one.status}, ${one.denials} refused` : one.status])), // prettier-ignore
    ...part('REFUSED', ['AT', 'WHAT', 'RULE', 'AGENT'], denials.map((one) => [one.last_at, `${one.action}: ${plain(one.resource)}`, plain(one.rule), one.agent ?? ''])), // prettier-ignore
  ];
}

function part(title: string, head: string[], rows: string[][]): string[] {
  return rows.length === 0 ? [] : ['', title, ...table(head, rows.slice(0, MOST_LINES))];
}

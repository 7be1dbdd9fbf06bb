// What still blocks a protocol for an agent.
import { Option } from 'clipanion';
import { UsageError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { type Answer, command } from '../lib/command.ts';
import { type Output, plain } from '../lib/output.ts';

function protocolRef(text: string): { id: string; version: string } {
  const [id, version, ...more] = text.split('@');
  if (!id || !version || more.length > 0) throw new UsageError('--protocol is NAME@VERSION, e.g. release-gate@1.0.0.');
  return { id, version };
}

function linesOf({ items, ready, protocol_ref }: Answer<'protocolSimulations.readiness'>, output: Output): string[] {
  const { id, version } = protocol_ref;
  return [
    ...items.flatMap(({ item, met, why, remedy }) => [
      `${met ? output.good('met ') : output.bad('open')} ${item.padEnd(20)} ${plain(why)}`,
      ...(remedy === null ? [] : [output.dim(plain(`     ${''.padEnd(20)} ${remedy}`))]),
    ]),
    '',
    ready
      ? output.good(`Nothing blocks ${id} ${version}.`)
      : output.bad(`${items.filter(({ met }) => !met).length} of ${items.length} still block ${id} ${version}.`),
  ];
}

export const commands = [
  command('readiness', {
    about: 'show what blocks a protocol for your agent',
    details: 'It reads what is known now and enables nothing. Exits 1 while something blocks.',
    examples: [
      ['The project in this folder', 'svc readiness'],
      ['A protocol of its registry', 'svc readiness greeter --protocol release-gate@1.0.0'],
    ],
    ofProject: true,
    options: () => ({ protocol: Option.String('--protocol', { description: 'NAME@VERSION (default: the scenarios of the product)' }) }),
    route: 'protocolSimulations.readiness',
    send: ({ agent, protocol }) => ({ params: { name: agent }, body: protocol === undefined ? {} : { protocol_ref: protocolRef(protocol) } }),
    lines: (found, _, output) => linesOf(found, output),
    exit: ({ ready }) => (ready ? EXIT.ok : EXIT.failure),
  }),
];

import { Command, Option } from 'clipanion';
import { ApiCommand } from '../command-base.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { plain } from '../output.ts';
import { agentName } from '../project/name.ts';

export class ReadinessCommand extends ApiCommand {
  static override paths = [['readiness']];
  static override usage = Command.Usage({
    description: 'show what blocks a protocol for your agent',
    details: 'It reads what is known now and enables nothing. Exits 1 while something blocks.',
    examples: [
      ['The project in this folder', 'svc readiness'],
      ['A protocol of its registry', 'svc readiness greeter --protocol release-gate@1.0.0'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  protocol = Option.String('--protocol', { description: 'NAME@VERSION (default: the scenarios of the product)' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const found = await this.client().protocolSimulations.readiness({ params: { name }, body: this.#body() });
    const output = this.output(this.json);
    const { id, version } = found.protocol_ref;
    output.result(found, () => [
      ...found.items.flatMap(({ item, met, why, remedy }) => [
        `${met ? output.good('met ') : output.bad('open')} ${item.padEnd(20)} ${plain(why)}`,
        ...(remedy === null ? [] : [output.dim(plain(`     ${''.padEnd(20)} ${remedy}`))]),
      ]),
      '',
      found.ready
        ? output.good(`Nothing blocks ${id} ${version}.`)
        : output.bad(`${found.items.filter(({ met }) => !met).length} of ${found.items.length} still block ${id} ${version}.`),
    ]);
    return found.ready ? EXIT.ok : EXIT.failure;
  }

  #body(): { protocol_ref?: { id: string; version: string } } {
    if (this.protocol === undefined) return {};
    const [id, version, ...more] = this.protocol.split('@');
    if (!id || !version || more.length > 0) throw new UsageError('--protocol is NAME@VERSION, e.g. release-gate@1.0.0.');
    return { protocol_ref: { id, version } };
  }
}

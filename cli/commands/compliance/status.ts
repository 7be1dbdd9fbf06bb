import { Command, Option } from 'clipanion';
import type { ControlState } from '#contract/states.ts';
import { ApiCommand } from '../../command-base.ts';
import { EXIT } from '../../exit-codes.ts';
import { plain, table } from '../../output.ts';

const WORDS: Record<ControlState, string> = { met: 'met', partly: 'partly', not_met: 'NOT met', not_applicable: '-' };

export class ComplianceStatusCommand extends ApiCommand {
  static override paths = [['compliance', 'status']];
  static override usage = Command.Usage({
    description: 'show what an organization meets of each framework, and what to do next',
    details: 'Ends with 1 with --strict while a control is not met.',
    examples: [
      ['All frameworks', 'svc compliance status acme'],
      ['In a pipeline', 'svc compliance status acme --strict'],
    ],
  });

  slug = Option.String({ name: 'SLUG' });
  strict = Option.Boolean('--strict', false, { description: 'end with 1 while a control is not met' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const status = await this.client().compliance.status({ params: { slug: this.slug } });
    const output = this.output(this.json);
    output.result(status, () => [
      ...status.frameworks.flatMap(({ title, counts, controls }) => [
        `${title}: ${counts.met} met, ${counts.partly} partly, ${counts.not_met} not met, ${counts.not_applicable} not applicable`,
        ...table(['CONTROL', 'STATE', 'ABOUT', 'WHY'], controls.map((one) => [one.reference, WORDS[one.state], one.title, plain(one.reason)])), // prettier-ignore
        '',
      ]),
      ...(status.next_actions.length === 0 ? ['Nothing is open.'] : ['Next:', ...status.next_actions.map((text) => `- ${plain(text)}`)]),
    ]);
    return this.strict && status.frameworks.some(({ counts }) => counts.not_met > 0) ? EXIT.failure : EXIT.ok;
  }
}

import { Command, Option } from 'clipanion';
import { FINDING_ANSWERS } from '#contract/states.ts';
import { ApiCommand, oneOf } from '../../command-base.ts';
import { agentName } from '../../project/name.ts';

export class FindingsAnswerCommand extends ApiCommand {
  static override paths = [['findings', 'answer']];
  static override usage = Command.Usage({
    description: 'answer a finding of your agent, with a reason',
    details:
      'fixed: the calls that showed it are made again at the live version, and the answer is refused while they still show it. accepted: you know it and live with it. false_alarm: it is none. A fixed one that shows again is open again.',
    examples: [
      ['After a deploy', 'svc findings answer fnd_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 fixed "paths are checked now"'],
      ['Another agent', 'svc findings answer fnd_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 accepted "only I call it" --agent librarian'],
    ],
  });

  finding = Option.String({ name: 'FINDING' });
  answer = Option.String({ name: 'ANSWER' });
  reason = Option.String({ name: 'REASON' });
  agent = Option.String('--agent', { description: 'whose finding (default: the name in svc.yaml)' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const answer = oneOf('ANSWER', this.answer, FINDING_ANSWERS);
    const name = await agentName(this.agent, this.project);
    const finding = await this.client().findings.answer({ params: { name, finding_id: this.finding }, body: { answer, reason: this.reason } });
    this.output(this.json).result(finding, [`${finding.finding_id} is answered: ${answer}.`]);
    return 0;
  }
}

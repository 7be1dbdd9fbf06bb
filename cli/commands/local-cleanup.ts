import { Command, Option } from 'clipanion';
import { ApiError } from '#contract/client.ts';
import { LocalCommand } from '../login/local-command.ts';

export class LocalCleanupCommand extends LocalCommand {
  static override paths = [['local-cleanup']];
  static override usage = Command.Usage({
    description: 'delete an agent from the platform on this machine, with all that is kept for it, without asking anything',
    details: 'It is deleted as delete does, in the name of the local account that local-deploy uses. Its name stays with that account.',
    examples: [
      ['After a try', 'svc local-cleanup greeter'],
      ['In a script that may come twice', 'svc local-cleanup greeter --ignore-missing --json'],
    ],
  });

  agent = Option.String({ name: 'NAME' });
  ignoreMissing = Option.Boolean('--ignore-missing', false, { description: 'succeed if the agent does not exist' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    await this.controlPlaneUp((text) => output.note(text));
    const client = this.client(await this.accessToken());
    const deleted = await client.agents.delete({ params: { name: this.agent } }).then(
      () => true,
      (error: unknown) => {
        if (this.ignoreMissing && error instanceof ApiError && error.code === 'agent_not_found') return false;
        throw error;
      },
    );
    output.hint(deleted ? `${this.agent} is deleted.` : `There was no agent ${this.agent}.`);
    output.result({ name: this.agent, deleted }, []);
    return 0;
  }
}

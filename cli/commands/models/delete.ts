import { Command, Option } from 'clipanion';
import { ApiError } from '#contract/client.ts';
import { ApiCommand } from '../../lib/api-command.ts';
import { CliError } from '../../lib/errors.ts';

export class ModelsDeleteCommand extends ApiCommand {
  static override paths = [['models', 'delete']];
  static override usage = Command.Usage({
    description: 'delete a language model of yours and its key',
    details: 'Its past use stays in svc models usage. If it was the default, another model becomes the default.',
    examples: [['By name', 'svc models delete main']],
  });

  name = Option.String({ name: 'NAME' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const client = this.client();
    try {
      await client.llmCreds.remove({ params: { name: this.name } });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'credential_not_found') throw new CliError(`${error.message}. List them with: svc models list`);
      throw error;
    }
    const next = (await client.llmCreds.list()).items.find((one) => one.default);
    const output = this.output(this.json);
    output.hint(
      `${this.name} is deleted; ${next ? `the default is ${next.name}` : 'no language model is left. Set one with: svc models set NAME --provider P'}`,
    );
    output.result({ name: this.name, deleted: true, default: next?.name ?? null }, []);
    return 0;
  }
}

import { Command, Option } from 'clipanion';
import { oneOf } from '../lib/api-command.ts';
import type { CliContext } from '../lib/context.ts';

export class CompletionCommand extends Command<CliContext> {
  static override paths = [['completion']];
  static override usage = Command.Usage({
    description: 'print what makes a shell complete commands, agents in use, their tools and flags',
    details: 'Put the line for your shell into its start-up file.',
    examples: [
      ['bash (~/.bashrc)', 'eval "$(svc completion bash)"'],
      ['zsh (~/.zshrc)', 'eval "$(svc completion zsh)"'],
      ['fish (~/.config/fish/config.fish)', 'svc completion fish | source'],
    ],
  });

  shell = Option.String({ name: 'SHELL' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { completionScript } = await import('../completion/scripts.ts');
    const { ownTable, SHELLS } = await import('../completion/table.ts');
    const { toolOf } = await import('../parser/tool.ts');
    const shell = oneOf('SHELL', this.shell, SHELLS);
    const script = completionScript(shell, ownTable((await toolOf(false)).definitions()));
    this.context.stdout.write(this.json ? `${JSON.stringify({ shell, script }, null, 2)}\n` : script);
    return 0;
  }
}

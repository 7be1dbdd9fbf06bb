// What makes a shell complete commands.
import { oneOf } from '../lib/api-command.ts';
import { customCommand } from '../lib/command.ts';

export const commands = [
  customCommand('completion', {
    local: true,
    about: 'print what makes a shell complete commands, agents in use, their tools and flags',
    details: 'Put the line for your shell into its start-up file.',
    examples: [
      ['bash (~/.bashrc)', 'eval "$(svc completion bash)"'],
      ['zsh (~/.zshrc)', 'eval "$(svc completion zsh)"'],
      ['fish (~/.config/fish/config.fish)', 'svc completion fish | source'],
    ],
    arguments: { shell: 'SHELL' },
    run: async ({ shell: typed }) => {
      const { completionScript } = await import('../completion/scripts.ts');
      const { ownTable, SHELLS } = await import('../completion/table.ts');
      const { toolOf } = await import('../parser/tool.ts');
      const shell = oneOf('SHELL', typed, SHELLS);
      return { shell, script: completionScript(shell, ownTable((await toolOf(false)).definitions())) };
    },
    lines: ({ script }) => [script.replace(/\n$/, '')],
  }),
];

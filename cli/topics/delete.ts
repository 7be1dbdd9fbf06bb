// An agent of yours is deleted.
import { Option } from 'clipanion';
import { Terminal } from '../ask/terminal.ts';
import type { CliContext } from '../lib/context.ts';
import { CliError, UsageError } from '../lib/errors.ts';
import { command } from '../lib/command.ts';

async function confirm(agent: string, context: CliContext): Promise<void> {
  if (!context.interactive) throw new UsageError(`No terminal to confirm in: give --yes to delete ${agent}.`);
  const terminal = new Terminal(context);
  try {
    const typed = await terminal.line(`Type the name to delete ${agent}: `);
    if (typed?.trim() !== agent) throw new CliError('Nothing was deleted.');
  } finally {
    terminal.close();
  }
}

export const commands = [
  command('delete', {
    about: 'delete an agent of yours: it stops at once',
    details:
      'Deletes its secrets, the values that its callers set, and its files. Its receipts stay, and its name stays yours: svc deploy restores it. Asks for the name again, unless --yes is given.',
    examples: [
      ['Asked first', 'svc delete greeter'],
      ['In a script', 'svc delete greeter --yes'],
    ],
    arguments: { agent: 'AGENT' },
    options: () => ({ yes: Option.Boolean('--yes,-y', false, { description: 'do not ask' }) }),
    route: 'agents.delete',
    send: async ({ agent, yes }, { client, context }) => {
      const params = { name: agent };
      // 404 comes before the question.
      await client.agents.mineOne({ params });
      if (!yes) await confirm(agent, context);
      return { params };
    },
    json: (_, { agent }) => ({ name: agent, deleted: true }),
    hint: (_, { agent }) => `${agent} is deleted.`,
  }),
];

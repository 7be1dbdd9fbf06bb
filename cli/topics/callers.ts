// Scopes that owners give to accounts which call their agents.
import { plain } from '../output.ts';
import { command } from '../lib/command.ts';
import { CallersWithdrawCommand } from '../commands/callers/withdraw.ts';

export const commands = [
  command('callers list', {
    about: 'list the accounts that you gave scopes of your agent',
    examples: [['Of the project in this folder', 'svc callers list']],
    ofProject: true,
    route: 'callerScopes.list',
    send: ({ agent }) => ({ params: { name: agent } }),
    columns: {
      ACCOUNT: ({ account }) => plain(account),
      ID: ({ account_id }) => account_id,
      SCOPES: ({ scopes }) => plain(scopes.join(', ')),
      SINCE: ({ updated_at }) => updated_at.slice(0, 10),
    },
    empty: ({ agent }) => `Give them with: svc callers give ${agent} ACCOUNT SCOPE`,
    hint: ({ declared }) => (declared.length === 0 ? 'No skill requires a scope.' : `Skills require: ${plain(declared.join(', '))}.`),
  }),
  command('callers give', {
    about: 'give an account scopes that skills of your agent require',
    details:
      'The scopes replace those that you gave the account before. You have all scopes of your own agents, members of your organization by their role, and a token those of the skills that it may call.',
    examples: [['An account that has called the agent', 'svc callers give reporter ben@example.com reports:write']],
    arguments: { agent: 'AGENT', account: 'ACCOUNT', scopes: 'SCOPE...' },
    route: 'callerScopes.give',
    send: ({ agent, account, scopes }) => ({ params: { name: agent }, body: { account, scopes } }),
    lines: ({ account, scopes }, { agent }) => [`${plain(account)} has ${plain(scopes.join(', '))} of ${agent}.`],
    hint: ({ account_id }, { agent }) => `Withdraw with: svc callers withdraw ${agent} ${account_id}`,
  }),
  CallersWithdrawCommand,
];

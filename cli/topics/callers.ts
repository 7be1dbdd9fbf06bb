// Scopes that owners give to accounts which call their agents.
import { UsageError } from '../lib/errors.ts';
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';

export const commands = [
  command('callers list', {
    about: 'list the accounts that you gave scopes of your agent',
    examples: [['The project in this folder', 'svc callers list']],
    ofProject: true,
    route: 'callerScopes.list',
    send: ({ agent }) => ({ params: { name: agent } }),
    columns: {
      ACCOUNT: ({ account }) => plain(account),
      ID: ({ account_id }) => account_id,
      SCOPES: ({ scopes }) => plain(scopes.join(', ')),
      SINCE: ({ updated_at }) => updated_at.slice(0, 10),
    },
    empty: ({ agent }) => `Give them with: svc callers grant ${agent} ACCOUNT SCOPE`,
    hint: ({ declared }) => (declared.length === 0 ? 'No skill requires a scope.' : `Skills require: ${plain(declared.join(', '))}.`),
  }),
  command('callers grant', {
    about: 'give an account scopes that skills of your agent require',
    details:
      'The scopes replace those that you gave the account before. You have all scopes of your own agents, members of your organization by their role, and a token those of the skills that it may call.',
    examples: [['An account that has called the agent', 'svc callers grant reporter ben@example.com reports:write']],
    arguments: { agent: 'AGENT', account: 'ACCOUNT', scopes: 'SCOPE...' },
    route: 'callerScopes.give',
    send: ({ agent, account, scopes }) => ({ params: { name: agent }, body: { account, scopes } }),
    lines: ({ account, scopes }, { agent }) => [`${plain(account)} has ${plain(scopes.join(', '))} of ${agent}.`],
    hint: ({ account_id }, { agent }) => `Withdraw with: svc callers revoke ${agent} ${account_id}`,
  }),
  command('callers revoke', {
    about: 'withdraw the scopes of your agent that you gave an account',
    examples: [['By the account that svc callers list shows', 'svc callers revoke reporter ben@example.com']],
    arguments: { agent: 'AGENT', account: 'ACCOUNT' },
    lookup: async ({ agent, account }, { client }) => {
      const { items } = await client.callerScopes.list({ params: { name: agent } });
      const matching = items.filter((one) => one.account === account || one.account_id === account);
      const [found] = matching;
      if (!found) throw new UsageError(`${agent} has given ${account} no scopes. See: svc callers list ${agent}`);
      if (matching.length > 1) throw new UsageError(`Several accounts have the address ${account}: give the ID that svc callers list ${agent} shows.`);
      return { account_id: found.account_id };
    },
    route: 'callerScopes.withdraw',
    send: ({ agent, account_id }) => ({ params: { name: agent, account_id } }),
    json: (_, { account_id }) => ({ account_id, withdrawn: true }),
    hint: (_, { agent, account }) => `${account} has no scopes of ${agent} any longer.`,
  }),
];

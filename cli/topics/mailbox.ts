// The mailbox of an agent.
import { Option } from 'clipanion';
import { integer } from '../lib/api-command.ts';
import { UsageError } from '../lib/errors.ts';
import { command } from '../lib/command.ts';
import { plain, table } from '../lib/output.ts';

export const commands = [
  command('mailbox get', {
    about: 'show the mailbox of your agent: its address, its state, who may write',
    examples: [
      ['One agent', 'svc mailbox get reporter'],
      ['The project in this folder', 'svc mailbox get'],
    ],
    ofProject: true,
    route: 'agentMailboxes.get',
    send: ({ agent }) => ({ params: { name: agent } }),
    lines: (box) =>
      table(
        ['MAILBOX', ''],
        [
          ['Address', box.address],
          ['State', box.error === null ? box.state : `${box.state}: ${plain(box.error.message)}`],
          ['May write', ['you', ...box.declared_senders.map((one) => `${one} (svc.yaml)`), ...box.allowed_senders].map(plain).join(', ')],
          ['Sent in 24 h', `${box.sent_today} of ${box.send_limit}`],
          ['Kept', `${box.size_bytes} of ${box.max_bytes} bytes`],
        ],
      ),
    hint: ({ has_on_email }, { agent }) =>
      has_on_email ? undefined : `${agent} has no skill on_email in its live deployment: mail to it is kept, and runs nothing. Add the skill and deploy.`,
  }),
  command('mailbox create', {
    about: 'give your agent a mailbox; its skill on_email gets the mail',
    details: 'You may always write to it; other senders only if you allow them. A mailbox can be declared in svc.yaml, too.',
    examples: [
      ['For mail from yourself', 'svc mailbox create reporter'],
      ['From a colleague and a whole domain', 'svc mailbox create reporter --allow ada@example.com --allow @example.org'],
    ],
    arguments: { agent: 'AGENT' },
    options: () => ({ allow: Option.Array('--allow', [], { description: 'an address or @domain that may write, repeatable' }) }),
    route: 'agentMailboxes.create',
    send: ({ agent, allow }) => ({ params: { name: agent }, body: { allowed_senders: allow } }),
    lines: ({ address }) => [address],
    hint: (_, { agent }) => `It is ready in a moment: svc mailbox get ${agent}`,
  }),
  command('mailbox set', {
    about: 'change who may write to your agent; disable or enable its mailbox',
    details: 'A disabled mailbox refuses mail; its mail is kept for 30 days.',
    examples: [
      ['Allow one more', 'svc mailbox set reporter --allow bob@example.com'],
      ['Allow one less', 'svc mailbox set reporter --forbid @example.org'],
      ['Take no mail for now', 'svc mailbox set reporter --disable'],
    ],
    arguments: { agent: 'AGENT' },
    options: () => ({
      allow: Option.Array('--allow', [], { description: 'an address or @domain that may write from now on, repeatable' }),
      forbid: Option.Array('--forbid', [], { description: 'one that may not any more, repeatable' }),
      enable: Option.Boolean('--enable', false, { description: 'take mail again' }),
      disable: Option.Boolean('--disable', false, { description: 'take no mail' }),
    }),
    route: 'agentMailboxes.update',
    send: async ({ agent, allow, forbid, enable, disable }, { client }) => {
      if (enable && disable) throw new UsageError('Give --enable or --disable, not both.');
      const lists = allow.length + forbid.length > 0;
      if (!enable && !disable && !lists) throw new UsageError('Nothing to change: give --allow, --forbid, --enable or --disable.');
      const params = { name: agent };
      const senders = lists ? changed((await client.agentMailboxes.get({ params })).allowed_senders, { agent, allow, forbid }) : undefined;
      return { params, body: { ...(senders && { allowed_senders: senders }), ...((enable || disable) && { enabled: enable }) } };
    },
    lines: ({ address, state, allowed_senders }) => [`${address}  ${state}`, ...allowed_senders.map((one) => `allowed  ${plain(one)}`)],
  }),
  command('mailbox delete', {
    about: 'remove the mailbox of your agent: mail to its address is refused at once',
    examples: [['One agent', 'svc mailbox delete reporter']],
    arguments: { agent: 'AGENT' },
    route: 'agentMailboxes.remove',
    send: ({ agent }) => ({ params: { name: agent } }),
    json: (_, { agent }) => ({ agent, removed: true }),
    hint: (_, { agent }) => `The mailbox of ${agent} is removed.`,
  }),
  command('mailbox events', {
    about: 'list what happened to the mail of your agent, newest first, and why mail was skipped',
    examples: [
      ['The newest', 'svc mailbox events reporter'],
      ['The page after it', 'svc mailbox events reporter --cursor CURSOR'],
    ],
    ofProject: true,
    options: () => ({
      limit: Option.String('--limit', '50', { description: 'how many, 1 to 200' }),
      cursor: Option.String('--cursor', { description: 'next_cursor of the page before' }),
    }),
    route: 'agentMailboxes.events',
    send: ({ agent, limit, cursor }) => ({
      params: { name: agent },
      query: { limit: integer('--limit', limit, { min: 1, max: 200 }), ...(cursor !== undefined && { cursor }) },
    }),
    columns: {
      'AT (UTC)': ({ at }) => at.slice(0, 19).replace('T', ' '),
      EVENT: ({ kind }) => kind,
      WHY: ({ why, detail }) => [why, detail].filter((one) => one !== null).join(' '),
      WITH: ({ correspondent }) => plain(correspondent ?? ''),
      SUBJECT: ({ subject }) => plain(subject ?? ''),
    },
    empty: ({ agent }) => `Nothing happened yet. The address is shown by: svc mailbox get ${agent}`,
    hint: ({ next_cursor }, { agent }) => (next_cursor === null ? undefined : `More: svc mailbox events ${agent} --cursor ${next_cursor}`),
  }),
];

/** Previous senders, with those that are allowed, without those that are forbidden. @throws UsageError */
function changed(before: readonly string[], { agent, allow, forbid }: { agent: string; allow: readonly string[]; forbid: readonly string[] }): string[] {
  const gone = new Set(forbid.map((one) => one.toLowerCase()));
  const unknown = [...gone].find((one) => !before.includes(one));
  if (unknown !== undefined) throw new UsageError(`${unknown} is not among the senders set for ${agent}: see svc mailbox get ${agent}.`);
  return [...new Set([...before, ...allow.map((one) => one.toLowerCase())])].filter((one) => !gone.has(one));
}

// Files of an account, and which of them agents may see.
import { Option } from 'clipanion';
import { GRANT_TTL_SECONDS } from '#contract/wire/grant.ts';
import { MAX_GRANT_TTL_SECONDS } from '#contract/workspace/workspace-grants.ts';
import { integer } from '../lib/api-command.ts';
import { FilesGetCommand } from '../commands/files/get.ts';
import { FilesMvCommand } from '../commands/files/mv.ts';
import { FilesPutCommand } from '../commands/files/put.ts';
import { FilesRmCommand } from '../commands/files/rm.ts';
import { FilesUnshareCommand } from '../commands/files/unshare.ts';
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';

export const commands = [
  command('files list', {
    about: 'list your files, by path',
    examples: [
      ['All', 'svc files list'],
      ['One folder', 'svc files list notes/'],
    ],
    arguments: { prefix: '[PREFIX]' },
    options: () => ({ limit: Option.String('--limit,-n', '1000', { description: 'how many' }) }),
    route: 'files.list',
    send: ({ prefix }) => ({ query: prefix === undefined ? {} : { prefix } }),
    rows: ({ limit }) => integer('--limit', limit, { min: 1, max: 100_000 }),
    page: 1_000,
    json: ({ items }) => items,
    columns: {
      PATH: ({ path }) => plain(path),
      TYPE: ({ file_type }) => file_type,
      BYTES: ({ size_bytes }) => String(size_bytes),
      'CHANGED (UTC)': ({ updated_at }) => updated_at.slice(0, 19).replace('T', ' '),
    },
    empty: ({ prefix }) => `No files${prefix === undefined ? '' : ` below ${prefix}`}. Store one with: svc files put FILE`,
    hint: ({ items, next_cursor }, { limit }) => (items.length > 0 && next_cursor ? `There are more: --limit ${Number(limit) * 10}` : undefined),
  }),
  FilesGetCommand,
  FilesPutCommand,
  FilesMvCommand,
  FilesRmCommand,
  command('files share', {
    about: 'let an agent see some of your files: prints a grant for it',
    details:
      'The grant is a token that only AGENT can use: pass it with svc call --grant. PATTERNS are paths, with * within a folder and ** across folders. With --write the agent may also write, but only below that folder. The grant expires; svc files shares lists your grants.',
    examples: [
      ['To read one folder, for ten minutes', 'svc files share librarian "notes/**" --for 600'],
      ['And to use it at once', 'svc call librarian summarize --grant "$(svc files share librarian "notes/**")"'],
      ['To write below a folder, too', 'svc files share librarian "notes/**" --write summaries/'],
    ],
    arguments: { agent: 'AGENT', patterns: 'PATTERN...' },
    options: () => ({
      deny: Option.Array('--deny', { description: 'a pattern that stays hidden; may be given several times' }),
      write: Option.String('--write', { description: 'folder below which it may write' }),
      seconds: Option.String('--for', String(GRANT_TTL_SECONDS), { description: 'seconds until it ends' }),
    }),
    lookup: ({ seconds }) => ({ ttl: integer('--for', seconds, { min: 1, max: MAX_GRANT_TTL_SECONDS }) }),
    route: 'workspaceGrants.delegate',
    send: ({ agent, patterns, deny, write, ttl }) => ({
      body: {
        audience: agent,
        allow_patterns: patterns,
        deny_patterns: deny ?? [],
        ttl_seconds: ttl,
        ...(write === undefined ? {} : { mode: 'read_write_overlay' as const, outputs_prefix: write.replace(/\/+$/, '') }),
      },
    }),
    json: ({ grant, token }) => ({ grant, token }),
    lines: ({ token }) => [token],
    hint: (_, { agent, write, ttl }) =>
      `${agent} may ${write === undefined ? 'read' : 'read and write'} this for ${ttl} s. Use it with: svc call ${agent} TOOL --grant TOKEN`,
  }),
  command('files shares', {
    about: 'list what you have let agents see, newest first',
    examples: [['The ten newest', 'svc files shares --limit 10']],
    options: () => ({ limit: Option.String('--limit,-n', '50', { description: 'how many' }) }),
    route: 'grants.list',
    send: ({ limit }) => ({ query: { limit: integer('--limit', limit, { min: 1, max: 200 }) } }),
    json: ({ items }) => items,
    columns: {
      GRANT: ({ grant_id }) => grant_id,
      AGENT: ({ audience }) => audience,
      STATE: ({ state }) => state,
      'MAY SEE': ({ allow_patterns }) => plain(allow_patterns.join(', ')).slice(0, 50),
      'MAY WRITE': ({ mode, outputs_prefix }) => (mode === 'read_only' ? 'no' : (outputs_prefix ?? 'yes')),
      'UNTIL (UTC)': ({ expires_at }) => expires_at.slice(0, 19).replace('T', ' '),
    },
    empty: () => 'You have shared nothing. Share with: svc files share AGENT "notes/**"',
  }),
  FilesUnshareCommand,
];

// Files of an account, and which of them agents may see.
import { Option } from 'clipanion';
import { ApiError } from '#contract/client.ts';
import { GRANT_TTL_SECONDS } from '#contract/wire/grant.ts';
import { MAX_GRANT_TTL_SECONDS } from '#contract/workspace/workspace-grants.ts';
import { integer } from '../lib/api-command.ts';
import { FilesGetCommand } from '../commands/files/get.ts';
import { FilesPutCommand } from '../commands/files/put.ts';
import { command, customCommand } from '../lib/command.ts';
import { CliError, UsageError } from '../lib/errors.ts';
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
  customCommand('files move', {
    about: 'move or rename a file or a folder of yours, at once',
    details:
      'What ends with "/" is a folder; a file that is moved to a folder keeps its name. What is there already stays, unless --force is given. Grants are for paths: they do not move along.',
    examples: [
      ['Rename a file', 'svc files move notes/today.md notes/yesterday.md'],
      ['Into a folder', 'svc files move report.pdf reports/'],
      ['A whole folder', 'svc files move drafts/ archive/drafts/'],
    ],
    arguments: { from: 'FROM', to: 'TO' },
    options: () => ({ force: Option.Boolean('--force,-f', false, { description: 'replace what is there' }) }),
    run: async ({ from, to, force: overwrite }, { client: { files } }) => {
      const isFolder = from.endsWith('/');
      if (isFolder && !to.endsWith('/')) throw new UsageError(`${from} is a folder: end the other path with "/" too, e.g. ${to}/`);
      const name = from.slice(from.lastIndexOf('/') + 1);
      const body = { from, to: to.endsWith('/') ? `${to}${name}` : to, overwrite };
      return (isFolder ? files.moveFolder({ body }) : files.move({ body })).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.code === 'path_taken')) throw error;
        throw new CliError(`${error.message.split(': choose')[0]}: choose another path, or --force to replace it.`, undefined, { cause: error });
      });
    },
    lines: (moved) => ['path' in moved ? moved.path : moved.to],
  }),
  customCommand('files delete', {
    about: 'delete files of yours',
    examples: [['Two of them', 'svc files delete notes/a.md notes/b.md']],
    arguments: { file: 'PATH', more: '[PATHS...]' },
    run: async ({ file, more }, { client, output }) => {
      const deleted = [file, ...more];
      for (const path of deleted) {
        await client.files.remove({ params: { path } });
        output.note(`${path} is deleted.`);
      }
      return { deleted };
    },
  }),
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
      'MAY SEE': ({ allow_patterns }) => plain(allow_patterns.join(', ')),
      'MAY WRITE': ({ mode, outputs_prefix }) => (mode === 'read_only' ? 'no' : (outputs_prefix ?? 'yes')),
      'UNTIL (UTC)': ({ expires_at }) => expires_at.slice(0, 19).replace('T', ' '),
    },
    empty: () => 'You have shared nothing. Share with: svc files share AGENT "notes/**"',
  }),
  customCommand('files unshare', {
    about: 'take back what you have let agents see',
    details: 'A grant that is revoked opens nothing from its next use on, and neither does what agents made of it for others. svc files shares lists yours.',
    examples: [['One of them', 'svc files unshare grt_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11']],
    arguments: { grant: 'GRANT', more: '[GRANTS...]' },
    run: async ({ grant, more }, { client, output }) => {
      const revoked = [grant, ...more];
      for (const grant_id of revoked) {
        await client.grants.revoke({ params: { grant_id } });
        output.note(`${grant_id} is revoked.`);
      }
      return { revoked };
    },
  }),
];

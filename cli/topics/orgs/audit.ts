// The log of an organization: shown, kept as a file, and a file checked without the platform.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Option } from 'clipanion';
import { checkAuditLog } from '#contract/crypto/audit-chain.ts';
import { customCommand } from '../../lib/command.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { plain, table } from '../../lib/output.ts';

export const commands = [
  customCommand('orgs audit list', {
    about: 'show what was done in an organization, newest first',
    details: 'With --export it prints the whole log, a row a line, its last line the head: keep it as a file.',
    examples: [
      ['The newest 50', 'svc orgs audit list acme'],
      ['All of it', 'svc orgs audit list acme --export > acme.ndjson'],
    ],
    arguments: { slug: 'SLUG' },
    options: () => ({
      action: Option.String('--action', { description: 'only this action, such as agent.deploy, or what stands before the dot' }),
      all: Option.Boolean('--export', false, { description: 'the whole log as NDJSON' }),
    }),
    run: async ({ slug, action, all }, { client: { organizations }, context, output }) => {
      const params = { slug };
      if (all) {
        const response = await organizations.exportAudit({ params });
        for await (const chunk of response.body ?? []) context.stdout.write(chunk);
        return undefined;
      }
      const log = await organizations.auditLog({ params, query: { limit: 50, ...(action !== undefined && { action }) } });
      output.note(`Head: ${log.head.sequence} ${log.head.sha256}`);
      return log;
    },
    lines: ({ items }) => {
      const rows = items.map(({ at, sequence, action, actor, target_id }) => [
        String(sequence),
        at,
        action,
        plain(actor.email ?? actor.id ?? actor.kind),
        target_id ?? '',
      ]);
      return table(['ROW', 'AT', 'ACTION', 'BY', 'OF'], rows);
    },
  }),
  customCommand('orgs audit verify', {
    local: true,
    about: 'check a file of the log without the platform: a row that is missing, changed or put in shows',
    examples: [
      ['A file', 'svc orgs audit verify acme.ndjson'],
      ['And that it ends where it did', 'svc orgs audit verify acme.ndjson --head SHA256'],
    ],
    arguments: { file: 'FILE' },
    options: () => ({ head: Option.String('--head', { description: 'hash of the newest row, from a note elsewhere' }) }),
    run: async ({ file, head }) => {
      const lines: string[] = [];
      for await (const line of createInterface({ input: createReadStream(file) })) lines.push(line);
      return checkAuditLog(lines, head);
    },
    lines: ({ rows, organization, head, problems }) =>
      problems.length > 0 ? problems : [`${rows} rows of ${organization ?? 'an organization'} hold together. Head: ${head?.sha256 ?? 'none'}`],
    exit: ({ problems }) => (problems.length === 0 ? EXIT.ok : EXIT.failure),
  }),
];

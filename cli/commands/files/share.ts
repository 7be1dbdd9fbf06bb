import { Command, Option } from 'clipanion';
import { GRANT_TTL_SECONDS } from '#contract/wire/grant.ts';
import { MAX_GRANT_TTL_SECONDS } from '#contract/workspace/workspace-grants.ts';
import { ApiCommand, integer } from '../../command-base.ts';

export class FilesShareCommand extends ApiCommand {
  static override paths = [['files', 'share']];
  static override usage = Command.Usage({
    description: 'let an agent see some of your files: prints a grant for it',
    details:
      'The grant is a token that only AGENT can use: pass it with svc call --grant. PATTERNS are paths, with * within a folder and ** across folders. With --write the agent may also write, but only below that folder. The grant expires; svc files shares lists your grants.',
    examples: [
      ['To read one folder, for ten minutes', 'svc files share librarian "notes/**" --for 600'],
      ['And to use it at once', 'svc call librarian summarize --grant "$(svc files share librarian "notes/**")"'],
      ['To write below a folder, too', 'svc files share librarian "notes/**" --write summaries/'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  pattern = Option.String({ name: 'PATTERN' });
  more = Option.Rest({ name: 'PATTERNS' });
  deny = Option.Array('--deny', { description: 'a pattern that stays hidden; may be given several times' });
  write = Option.String('--write', { description: 'folder below which it may write' });
  seconds = Option.String('--for', String(GRANT_TTL_SECONDS), { description: 'seconds until it ends' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const ttl = integer('--for', this.seconds, { min: 1, max: MAX_GRANT_TTL_SECONDS });
    const { grant, token } = await this.client().workspaceGrants.delegate({
      body: {
        audience: this.agent,
        allow_patterns: [this.pattern, ...this.more],
        deny_patterns: this.deny ?? [],
        ttl_seconds: ttl,
        ...(this.write === undefined ? {} : { mode: 'read_write_overlay' as const, outputs_prefix: this.write.replace(/\/+$/, '') }),
      },
    });
    const output = this.output(this.json);
    output.hint(
      `${this.agent} may ${this.write === undefined ? 'read' : 'read and write'} this for ${ttl} s. Use it with: svc call ${this.agent} TOOL --grant TOKEN`,
    );
    output.result({ grant, token }, [token]);
    return 0;
  }
}

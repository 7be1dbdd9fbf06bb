import { text } from 'node:stream/consumers';
import { Command, Option } from 'clipanion';
import { ApiCommand, oneOf } from '../lib/api-command.ts';

/** What git calls: https://git-scm.com/docs/gitcredentials */
export class GitCredentialCommand extends ApiCommand {
  static override paths = [['git-credential']];
  static override usage = Command.Usage({
    description: 'give git a token for one of your repositories, as a credential helper',
    details:
      'git runs it; svc clone sets that up. For an address of this platform it prints a token that opens this one repository for 15 minutes, for any other nothing. It stores nothing, so store and erase do nothing.',
    examples: [
      [
        'As svc clone sets it up',
        "git config credential.http://localhost:8080.helper '!svc git-credential' && git config credential.http://localhost:8080.useHttpPath true",
      ],
    ],
  });

  operation = Option.String({ name: 'OPERATION' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const operation = oneOf('OPERATION', this.operation, ['get', 'store', 'erase']);
    const request = await text(this.context.stdin);
    const name = operation === 'get' ? repositoryIn(request, this.apiUrl) : undefined;
    if (name === undefined) return 0;
    try {
      const { token, expires_at } = await this.client().sourceEditor.createToken({ params: { name }, body: { mode: 'write' } });
      const lines = ['username=svc', `password=${token}`, `password_expiry_utc=${Math.floor(Date.parse(expires_at) / 1000)}`];
      this.output(this.json).result({ username: 'svc', password: token, expires_at }, lines);
      return 0;
    } catch (error) {
      // Otherwise git would ask the person for a name and a password.
      if (!this.json) this.context.stdout.write('quit=1\n');
      throw error;
    }
  }
}

/** The agent whose repository it is; undefined: it is not at this platform. */
function repositoryIn(asked: string, api: string): string | undefined {
  const attributes = new Map(asked.split('\n').map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  const { protocol, host, pathname } = new URL(api);
  if (`${attributes.get('protocol')}:` !== protocol || attributes.get('host') !== host) return undefined;
  const prefix = `${pathname === '/' ? '' : pathname.slice(1) + '/'}git/`;
  const path = attributes.get('path') ?? '';
  return path.startsWith(prefix) ? /^([a-z0-9-]{1,128})\.git$/.exec(path.slice(prefix.length))?.[1] : undefined;
}

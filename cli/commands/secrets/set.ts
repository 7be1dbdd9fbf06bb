import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { UsageError } from '../../errors.ts';

export class SecretsSetCommand extends ApiCommand {
  static override paths = [['secrets', 'set']];
  static override usage = Command.Usage({
    description: 'set a secret of your agent',
    details:
      'The value is asked for and not shown, or read from @file or @- (standard input); one newline at its end is left out. It applies when the agent next starts: now with --restart. With --host and --header it never enters the agent: requests to http://HOST.svc-inject.internal/… leave as https://HOST/… with the header added.',
    examples: [
      ['Asked for', 'svc secrets set reporter API_TOKEN'],
      ['From another program, in effect at once', 'pass show api-token | svc secrets set reporter API_TOKEN @- --restart'],
      ['Added by the egress proxy', 'svc secrets set reporter API_TOKEN --host api.example.com --header authorization --scheme Bearer'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  key = Option.String({ name: 'NAME' });
  value = Option.String({ required: false, name: 'SOURCE' });
  restart = Option.Boolean('--restart', false, { description: 'replace the live instance, so that it applies now' });
  host = Option.String('--host', { description: 'send it only to this host, as a header' });
  header = Option.String('--header', { description: 'with --host: which header' });
  scheme = Option.String('--scheme', { description: 'with --host: a word before the value, e.g. Bearer' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    if ((this.host === undefined) !== (this.header === undefined)) throw new UsageError('--host and --header go together.');
    if (this.scheme !== undefined && this.host === undefined) throw new UsageError('--scheme goes with --host and --header.');
    const { secretValue } = await import('../../ask/secret.ts');
    const value = await secretValue(this.context, this.key, this.value);
    const inject =
      this.host === undefined || this.header === undefined
        ? {}
        : { inject: { host: this.host, header: this.header, ...(this.scheme === undefined ? {} : { scheme: this.scheme }) } };
    const set = await this.client().agentSecrets.upsert({
      params: { name: this.agent },
      query: { restart: this.restart },
      body: { key: this.key, value, ...inject },
    });
    const output = this.output(this.json);
    const when =
      set.applies === 'restarting' ? `the agent is being started again: svc logs ${this.agent} -f` : 'it applies when the agent next starts (now: --restart)';
    output.hint(`${set.key} is set, version ${set.version}; ${when}`);
    output.result(set, []);
    return 0;
  }
}

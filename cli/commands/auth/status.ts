import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { plain, table } from '../../output.ts';

export class AuthStatusCommand extends ApiCommand {
  static override paths = [['auth', 'status']];
  static override usage = Command.Usage({
    description: 'show which credentials an imported agent requires, and which are configured',
    examples: [['By its name', 'svc auth status weather']],
  });

  agent = Option.String({ name: 'AGENT' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const shown = await this.client().agentAuth.status({ params: { name: this.agent } });
    const { requirements, connections } = shown;
    const output = this.output(this.json);
    const missing = requirements.filter(({ configured }) => !configured);
    if (requirements.length === 0 && connections.length === 0) output.hint(`${this.agent} asks nothing of its callers, and no connection is stored.`);
    for (const { kind, scheme_name } of missing)
      if (kind !== null) output.hint(`Missing: svc auth ${COMMANDS[kind]} ${this.agent} --scheme-name ${plain(scheme_name)}`);
    for (const { failure, connection_id } of connections) if (failure) output.hint(`Connection ${connection_id}: ${plain(failure.message)}`);
    output.result(shown, () => [
      ...(requirements.length === 0
        ? []
        : table(
            ['ASKED FOR', 'KIND', 'AS', 'CONFIGURED'],
            requirements.map((one) => [
              plain(one.scheme_name),
              one.kind ?? 'another',
              plain([one.location, one.name ?? one.scheme].filter((part) => part !== null).join(' ')),
              one.configured ? 'yes' : 'no',
            ]),
          )),
      ...(requirements.length === 0 || connections.length === 0 ? [] : ['']),
      ...(connections.length === 0
        ? []
        : table(
            ['ID', 'SCHEME', 'KIND', 'STATE', 'ENDS (UTC)', 'REFRESHED'],
            connections.map((one) => [
              String(one.connection_id),
              plain(one.scheme_name),
              one.kind,
              one.state,
              minute(one.expires_at) ?? 'unknown',
              one.refreshes ? (minute(one.refreshed_at) ?? 'not yet') : 'never',
            ]),
          )),
    ]);
    return 0;
  }
}

const COMMANDS = { api_key: 'api-key', bearer: 'bearer', mtls: 'mtls', oauth2: 'oauth-token', oidc: 'oauth-token' } as const;

function minute(instant: string | null): string | undefined {
  return instant?.slice(0, 16).replace('T', ' ');
}

import { Command, Option } from 'clipanion';
import { given } from '../../ask/given.ts';
import { AuthConnectCommand, VALUES } from './connect.ts';

export class AuthBearerCommand extends AuthConnectCommand {
  static override paths = [['auth', 'bearer']];
  static override usage = Command.Usage({
    description: 'connect an imported agent with a token in the Authorization header',
    details: VALUES,
    examples: [['A bearer token', 'svc auth bearer weather --token @weather.token']],
  });

  token = Option.String('--token', { required: true, description: 'the token' });
  scheme = Option.String('--scheme', 'Bearer', { description: 'the word before it' });

  async execute(): Promise<number> {
    return this.connect({ kind: 'bearer', ...this.named, token: await given(this.context, '--token', this.token), scheme: this.scheme });
  }
}

import { Command, Option } from 'clipanion';
import { given } from '../../ask/given.ts';
import { oneOf } from '../../command-base.ts';
import { AuthConnectCommand, VALUES } from './connect.ts';

export class AuthApiKeyCommand extends AuthConnectCommand {
  static override paths = [['auth', 'api-key']];
  static override usage = Command.Usage({
    description: 'connect an imported agent with an API key',
    details: VALUES,
    examples: [
      ['In a header', 'svc auth api-key weather --name x-api-key --value @weather.key'],
      ['In the query', 'svc auth api-key weather --name key --location query --value @weather.key'],
    ],
  });

  name = Option.String('--name', { required: true, description: 'of the header or query parameter' });
  value = Option.String('--value', { required: true, description: 'the key' });
  location = Option.String('--location', 'header', { description: 'header or query' });

  async execute(): Promise<number> {
    const location = oneOf('--location', this.location, ['header', 'query']);
    return this.connect({ kind: 'api_key', ...this.named, name: this.name, value: await given(this.context, '--value', this.value), location });
  }
}

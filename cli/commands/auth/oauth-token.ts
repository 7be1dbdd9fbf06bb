import { Command, Option } from 'clipanion';
import { given } from '../../ask/given.ts';
import { integer, oneOf } from '../../command-base.ts';
import { AuthConnectCommand, VALUES } from './connect.ts';

const YEAR = 31_536_000;

export class AuthOauthTokenCommand extends AuthConnectCommand {
  static override paths = [['auth', 'oauth-token']];
  static override usage = Command.Usage({
    description: 'connect an imported agent with an OAuth or OpenID Connect access token',
    details: `With a refresh token and --token-url the platform gets a new token before the old one expires. ${VALUES}`,
    examples: [
      [
        'One that is refreshed',
        'svc auth oauth-token crm --access-token @access --refresh-token @refresh --token-url https://login.example.com/token --client-id svc --expires-in 3600',
      ],
    ],
  });

  accessToken = Option.String('--access-token', { required: true, description: 'the token that calls show' });
  schemeType = Option.String('--scheme-type', 'oauth2', { description: 'oauth2 or oidc' });
  refreshToken = Option.String('--refresh-token', { description: 'what becomes the next access token' });
  tokenUrl = Option.String('--token-url', { description: 'where it does' });
  clientId = Option.String('--client-id', { description: 'whom the tokens were issued to' });
  clientSecret = Option.String('--client-secret', { description: 'what that client proves itself with' });
  expiresIn = Option.String('--expires-in', { description: 'seconds that the access token still holds' });

  async execute(): Promise<number> {
    const kind = oneOf('--scheme-type', this.schemeType, ['oauth2', 'oidc']);
    const expires_in = this.expiresIn === undefined ? undefined : integer('--expires-in', this.expiresIn, { min: 1, max: YEAR });
    const secret = async (option: string, value: string | undefined): Promise<string | undefined> =>
      value === undefined ? undefined : given(this.context, option, value);
    const [refresh_token, client_secret] = [await secret('--refresh-token', this.refreshToken), await secret('--client-secret', this.clientSecret)];
    return this.connect({
      kind,
      ...this.named,
      access_token: await given(this.context, '--access-token', this.accessToken),
      ...(refresh_token !== undefined && { refresh_token }),
      ...(this.tokenUrl !== undefined && { token_url: this.tokenUrl }),
      ...(this.clientId !== undefined && { client_id: this.clientId }),
      ...(client_secret !== undefined && { client_secret }),
      ...(expires_in !== undefined && { expires_in }),
    });
  }
}

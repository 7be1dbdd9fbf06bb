import { Command, Option } from 'clipanion';
import type { z } from 'zod';
import type { AgentAuthIn } from '#contract/imports/agent-auth.ts';
import { given } from '../ask/given.ts';
import { ApiCommand, listing, oneOf } from '../command-base.ts';
import { UsageError } from '../errors.ts';
import { plain } from '../output.ts';

export class ImportCommand extends ApiCommand {
  static override paths = [['import']];
  static override usage = Command.Usage({
    description: 'import a running agent: of A2A, an MCP server, or one of another installation',
    details:
      'The agent stays where it is; here it is called, listed and receipted like any other. Import it again to read its card again. --auth-bearer and --auth-api-key store a first credential; further kinds are in svc auth. A value may be @file or @-.',
    examples: [
      ['An A2A agent', 'svc import https://weather.example.com'],
      ['An MCP server, under another name', 'svc import https://tools.example.com/mcp --name tools'],
      ['One that wants an API key', 'svc import https://crm.example.com --auth-api-key @crm.key --auth-name x-api-key'],
    ],
  });

  url = Option.String({ name: 'URL' });
  name = Option.String('--name,-n', { description: 'its name here; default: made from its own' });
  public = Option.Boolean('--public', { description: 'list it in the public registry' });
  private = Option.Boolean('--private', { description: 'do not list it; the default' });
  authBearer = Option.String('--auth-bearer', { description: 'a token for the Authorization header' });
  authApiKey = Option.String('--auth-api-key', { description: 'an API key' });
  authName = Option.String('--auth-name', { description: 'of the header or query parameter of the key' });
  authLocation = Option.String('--auth-location', 'header', { description: 'where the key goes: header or query' });
  authScheme = Option.String('--auth-scheme', 'Bearer', { description: 'the word before the token' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const isPublic = listing(this.public, this.private) ?? false;
    const auth = await this.#auth();
    const made = await this.client().agents.import({
      body: {
        url: /^https?:\/\//.test(this.url) ? this.url : `https://${this.url}`,
        visibility: isPublic ? 'public' : 'unlisted',
        ...(this.name !== undefined && { name: this.name }),
        ...(auth && { auth }),
      },
    });
    const output = this.output(this.json);
    const asked = made.requirements.length > 0 && auth === undefined;
    if (asked) output.hint(`It asks for credentials. See which, and store them: svc auth status ${made.name}`);
    output.hint(`Call it with: svc call ${made.name} ${made.skills[0] ?? 'SKILL'}`);
    output.result(made, () => [
      `${made.name} ${made.version} is imported (${made.import.protocol} ${plain(made.import.protocol_version)}).`,
      `Address  ${made.url}`,
      `Skills   ${plain(made.skills.join(', '))}`,
    ]);
    return 0;
  }

  async #auth(): Promise<z.input<typeof AgentAuthIn> | undefined> {
    if (this.authBearer !== undefined && this.authApiKey !== undefined)
      throw new UsageError('Choose one of --auth-bearer and --auth-api-key; add more with svc auth.');
    if (this.authBearer !== undefined) return { kind: 'bearer', token: await given(this.context, '--auth-bearer', this.authBearer), scheme: this.authScheme };
    const location = oneOf('--auth-location', this.authLocation, ['header', 'query']);
    if (this.authApiKey === undefined) return undefined;
    if (this.authName === undefined) throw new UsageError('--auth-api-key needs --auth-name: the header or query parameter that it goes into.');
    return { kind: 'api_key', name: this.authName, value: await given(this.context, '--auth-api-key', this.authApiKey), location };
  }
}

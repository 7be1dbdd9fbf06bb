import { writeFile } from 'node:fs/promises';
import { Command, Option } from 'clipanion';
import type { CliContext } from '../../lib/context.ts';
import { bearerOption } from '../../openapi/options.ts';

export class OpenApiSpecCommand extends Command<CliContext> {
  static override paths = [['openapi', 'spec']];
  static override usage = Command.Usage({
    description: "generate an OpenAPI spec of the agent's own skills",
    examples: [['Into a file', 'svc openapi spec --out openapi.json']],
  });

  project = Option.String('--project,-p', '.', { description: 'folder of the project' });
  out = Option.String('--out,-o', { description: 'file to write (default: standard output)' });
  baseUrl = Option.String('--base-url', 'http://localhost:8000', { description: 'where the agent answers' });
  requireBearer = Option.Boolean('--require-bearer', { description: 'callers send a bearer token' });
  public = Option.Boolean('--public', { description: 'callers send none (the default)' });
  json = Option.Boolean('--json', false, { description: 'print JSON, as it always does' });

  async execute(): Promise<number> {
    const requireBearer = bearerOption(this.requireBearer, this.public);
    const { checkProject } = await import('../../project/check.ts');
    const { agentOpenApi } = await import('#contract/wire/agent-openapi.ts');
    const { card } = await checkProject(this.project);
    const text = `${JSON.stringify(agentOpenApi(card, { baseUrl: this.baseUrl, requireBearer }), null, 2)}\n`;
    if (this.out === undefined) this.context.stdout.write(text);
    else await writeFile(this.out, text);
    return 0;
  }
}

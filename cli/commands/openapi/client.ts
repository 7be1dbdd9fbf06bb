import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, Option } from 'clipanion';
import type { CliContext } from '../../lib/context.ts';
import { Output } from '../../lib/output.ts';
import { bearerOption } from '../../openapi/options.ts';

const DEFAULT_OUT = 'frontend/src/svc-client';

export class OpenApiClientCommand extends Command<CliContext> {
  static override paths = [['openapi', 'client']];
  static override usage = Command.Usage({
    description: "generate a TypeScript client for the agent's skills",
    details: 'The client has no dependencies; streaming skills are async iterators. The folder is replaced as a whole.',
    examples: [['For the packed frontend of this project', 'svc openapi client']],
  });

  project = Option.String('--project,-p', '.', { description: 'folder of the project' });
  out = Option.String('--out,-o', { description: `folder to write (default: ${DEFAULT_OUT} in the project)` });
  baseUrl = Option.String('--base-url', { description: "where the agent answers (default: the page's own origin)" });
  skills = Option.Array('--skill,-s', [], { description: 'only this skill; repeatable (default: all)' });
  requireBearer = Option.Boolean('--require-bearer', { description: 'the client cannot be made without a token' });
  public = Option.Boolean('--public', { description: 'a token is optional (the default)' });
  specOut = Option.String('--spec-out', { description: 'also write the OpenAPI spec to this file' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const requireBearer = bearerOption(this.requireBearer, this.public);
    const { checkProject } = await import('../../project/check.ts');
    const { clientFiles, writeClient } = await import('../../openapi/client.ts');
    const { project, card } = await checkProject(this.project);
    const folder = this.out ?? join(project.folder, DEFAULT_OUT);
    await writeClient(folder, await clientFiles(card, { skills: this.skills, baseUrl: this.baseUrl, requireBearer }));
    if (this.specOut !== undefined) {
      const { agentOpenApi } = await import('#contract/wire/agent-openapi.ts');
      const options = { baseUrl: this.baseUrl ?? 'http://localhost:8000', requireBearer, ...(this.skills.length > 0 && { skills: this.skills }) };
      await writeFile(this.specOut, `${JSON.stringify(agentOpenApi(card, options), null, 2)}\n`);
    }
    const output = new Output(this.context, this.json);
    output.note(`Wrote the client of ${card.name} ${card.version} to ${folder}`);
    output.result({ folder, spec: this.specOut ?? null, name: card.name, version: card.version }, []);
    return 0;
  }
}

// OpenAPI: of an agent's own skills, and of an API that becomes an agent.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Option } from 'clipanion';
import { OpenApiGenerateCommand } from '../commands/openapi/generate.ts';
import { OpenApiPreviewCommand } from '../commands/openapi/preview.ts';
import { customCommand } from '../lib/command.ts';
import { projectOption } from '../lib/options.ts';
import { bearerOption } from '../openapi/options.ts';

const DEFAULT_OUT = 'frontend/src/svc-client';

export const commands = [
  customCommand('openapi spec', {
    local: true,
    about: "generate an OpenAPI spec of the agent's own skills",
    examples: [['Into a file', 'svc openapi spec --out openapi.json']],
    options: () => ({
      project: projectOption(),
      out: Option.String('--out,-o', { description: 'file to write (default: standard output)' }),
      baseUrl: Option.String('--base-url', 'http://localhost:8000', { description: 'where the agent answers' }),
      requireBearer: Option.Boolean('--require-bearer', { description: 'callers send a bearer token' }),
      public: Option.Boolean('--public', { description: 'callers send none (the default)' }),
    }),
    aboutJson: 'print JSON, as it always does',
    run: async ({ project, out, baseUrl, requireBearer: typed, public: isPublic }) => {
      const requireBearer = bearerOption(typed, isPublic);
      const { checkProject } = await import('../project/check.ts');
      const { agentOpenApi } = await import('#contract/wire/agent-openapi.ts');
      const { card } = await checkProject(project);
      const spec = agentOpenApi(card, { baseUrl, requireBearer });
      if (out === undefined) return spec;
      await writeFile(out, `${JSON.stringify(spec, null, 2)}\n`);
      return undefined;
    },
    lines: (spec) => [JSON.stringify(spec, null, 2)],
  }),
  customCommand('openapi client', {
    local: true,
    about: "generate a TypeScript client for the agent's skills",
    details: 'The client has no dependencies; streaming skills are async iterators. The folder is replaced as a whole.',
    examples: [['For the packed frontend of this project', 'svc openapi client']],
    options: () => ({
      project: projectOption(),
      out: Option.String('--out,-o', { description: `folder to write (default: ${DEFAULT_OUT} in the project)` }),
      baseUrl: Option.String('--base-url', { description: "where the agent answers (default: the page's own origin)" }),
      skills: Option.Array('--skill,-s', [], { description: 'only this skill; repeatable (default: all)' }),
      requireBearer: Option.Boolean('--require-bearer', { description: 'the client cannot be made without a token' }),
      public: Option.Boolean('--public', { description: 'a token is optional (the default)' }),
      specOut: Option.String('--spec-out', { description: 'also write the OpenAPI spec to this file' }),
    }),
    run: async ({ project: path, out, baseUrl, skills, requireBearer: typed, public: isPublic, specOut }, { output }) => {
      const requireBearer = bearerOption(typed, isPublic);
      const { checkProject } = await import('../project/check.ts');
      const { clientFiles, writeClient } = await import('../openapi/client.ts');
      const { project, card } = await checkProject(path);
      const folder = out ?? join(project.folder, DEFAULT_OUT);
      await writeClient(folder, await clientFiles(card, { skills, baseUrl, requireBearer }));
      if (specOut !== undefined) {
        const { agentOpenApi } = await import('#contract/wire/agent-openapi.ts');
        const options = { baseUrl: baseUrl ?? 'http://localhost:8000', requireBearer, ...(skills.length > 0 && { skills }) };
        await writeFile(specOut, `${JSON.stringify(agentOpenApi(card, options), null, 2)}\n`);
      }
      output.note(`Wrote the client of ${card.name} ${card.version} to ${folder}`);
      return { folder, spec: specOut ?? null, name: card.name, version: card.version };
    },
  }),
  OpenApiPreviewCommand,
  OpenApiGenerateCommand,
];

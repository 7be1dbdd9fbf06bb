// The project in a folder: checked, shown, and made into what runs elsewhere. Nothing leaves this machine,
// except an image that is pushed.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Option } from 'clipanion';
import type { AgentCard } from '#contract/wire/card.ts';
import { DSL_FILE } from '#contract/wire/dsl.ts';
import { customCommand } from '../lib/command.ts';
import { UsageError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { projectOption } from '../lib/options.ts';
import { withProgress } from '../lib/progress.ts';

export const validate = customCommand('validate', {
  local: true,
  about: 'load the agent, check it, and print the schemas of its skills',
  details: 'Exits 1 when there is a problem; each line names the file, the line and what to do. With --json the problems are one document, too.',
  examples: [
    ['The project in this folder', 'svc validate'],
    ['For an editor or CI', 'svc validate --json'],
  ],
  options: () => ({ project: projectOption() }),
  aboutJson: 'print one document also when something is wrong: valid, problems',
  run: async ({ project, json }, { output }) => {
    const { checkProject } = await import('../project/check.ts');
    const checked = await withProgress(output.progress(), (say) => checkProject(project, say)).catch(async (error: unknown) => {
      const { ProjectError } = await import('../project/problem.ts');
      if (!json || !(error instanceof ProjectError)) throw error;
      return error.problems;
    });
    return 'card' in checked ? { problems: [], card: checked.card } : { problems: checked, card: undefined };
  },
  json: ({ problems, card: valid }) => ({ valid: valid !== undefined, problems, ...(valid && schemasOf(valid)) }),
  lines: ({ card: valid }) => (valid ? [JSON.stringify(schemasOf(valid), null, 2)] : []),
  hint: ({ card: valid }) => valid && `ok: ${valid.name} ${valid.version}, ${valid.skills.length} ${valid.skills.length === 1 ? 'skill' : 'skills'}`,
  exit: ({ card: valid }) => (valid ? EXIT.ok : EXIT.failure),
});

function schemasOf({ name, version, skills }: AgentCard): object {
  return { name, version, skills: Object.fromEntries(skills.map(({ id, input_schema, output_schema }) => [id, { input_schema, output_schema }])) };
}

export const card = customCommand('card', {
  local: true,
  about: 'print the agent card as JSON',
  examples: [['The project in this folder', 'svc card']],
  options: () => ({ project: projectOption() }),
  aboutJson: 'print JSON, as it always does',
  run: async ({ project }, { output }) => {
    const { checkProject } = await import('../project/check.ts');
    return (await withProgress(output.progress(), (say) => checkProject(project, say))).card;
  },
  lines: (shown) => [JSON.stringify(shown, null, 2)],
});

export const compile = customCommand('compile', {
  local: true,
  about: "compile the project's declaration for the sidecar",
  details: 'For agents whose handlers run in a worker: Python, Go and Rust. One in TypeScript is served by the runtime itself.',
  examples: [['Then serve it from two processes', `svc compile && svc sidecar --worker-url http://127.0.0.1:9001`]],
  options: () => ({
    project: projectOption(),
    out: Option.String('--out,-o', { description: `file to write (default: ${DSL_FILE} in the project)` }),
    stdout: Option.Boolean('--stdout', false, { description: 'print it instead' }),
  }),
  run: async ({ project: path, out, stdout }, { context, output }) => {
    const { compileProject } = await import('../project/compile.ts');
    const { project, dsl } = await withProgress(output.progress(), (say) => compileProject(path, say));
    const text = `${JSON.stringify(dsl, null, 2)}\n`;
    if (stdout) {
      context.stdout.write(text);
      return undefined;
    }
    const file = out ?? join(project.folder, DSL_FILE);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    const { name, version } = dsl.card;
    output.note(`Wrote the declaration of ${name} ${version} to ${file}`);
    return { file, name, version };
  },
});

export const build = customCommand('build', {
  local: true,
  about: 'build the container image, and push it if asked to',
  details:
    'The image is an OCI layout in .svc/image, made on this machine without a container tool: the runtime with the libraries it is linked to, and the agent. It listens on PORT (default 8000); SVC_API_KEY and required secrets come from its environment. Pushing needs skopeo. A file that looks like a key is named, and nothing is packed without --allow-secrets. A deploy builds the agent itself and does not need this image.',
  examples: [
    ['Build, then run it', 'svc build && skopeo copy oci:.svc/image docker-daemon:greeter:0.1.0 && docker run -p 8000:8000 greeter:0.1.0'],
    ['Build and push', 'svc build --registry registry.example/team --push'],
  ],
  options: () => ({
    project: projectOption(),
    registry: Option.String('--registry', 'localhost:5000', { description: 'where the image is pushed to, and the first part of its name' }),
    push: Option.Boolean('--push', false, { description: 'push it' }),
    allowSecrets: Option.Boolean('--allow-secrets', false, { description: 'pack files that look like keys, too' }),
  }),
  run: async ({ project, registry, push, allowSecrets }, { output }) => {
    if (!/^[a-z0-9][a-z0-9.-]*(?::\d{1,5})?(?:\/[a-z0-9]+(?:[._-][a-z0-9]+)*)*$/.test(registry)) {
      throw new UsageError(`--registry: "${registry}" is not the address of a registry: use host[:port][/path], without a scheme`);
    }
    const { buildImage, pushImage } = await import('../project/image/build.ts');
    const say = (text: string): void => output.raw(text);
    const image = await buildImage(project, registry, say, { allowSecrets });
    output.note(`Built ${image.reference} (${(image.bytes / 1_048_576).toFixed(0)} MiB) in ${image.layout}`);
    if (push) {
      await pushImage(image, say);
      output.note(`Pushed ${image.reference}`);
    }
    return { ...image, pushed: push };
  },
  lines: ({ reference, digest }) => [`${reference}@${digest}`],
});

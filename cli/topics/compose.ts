// An agent of other agents.
import { readFile } from 'node:fs/promises';
import { Option } from 'clipanion';
import { AgentComposeIn } from '#contract/deploys/compose.ts';
import { listing } from '../lib/api-command.ts';
import { customCommand } from '../lib/command.ts';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';

async function readManifest(file: string): Promise<AgentComposeIn> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CliError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, EXIT.failure);
  });
  const parsed = AgentComposeIn.safeParse(await read(file, text));
  if (parsed.success) return parsed.data;
  // Of a union: what is wrong with the form that is nearer.
  const [issue] = parsed.error.issues;
  const forms = issue?.code === 'invalid_union' ? issue.errors : [parsed.error.issues];
  const nearer = forms.toSorted((a, b) => a.length - b.length)[0] ?? [];
  throw new CliError(nearer.map(({ path, message }) => `${file}: ${path.join('.') || '(top)'}: ${message}`).join('\n'), EXIT.failure);
}

async function read(file: string, text: string): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    // JSON is YAML, too.
    return parse(text, { maxAliasCount: 50 });
  } catch (error) {
    throw new CliError(`${file} is neither YAML nor JSON: ${error instanceof Error ? error.message : String(error)}`, EXIT.failure);
  }
}

export const commands = [
  customCommand('compose', {
    about: 'make an agent of other agents, from a manifest',
    details: 'The manifest (YAML or JSON) names the agents, their skills and default arguments. Every mistake in it is shown at its place.',
    examples: [['From a file', 'svc compose desk.yaml']],
    arguments: { file: 'FILE' },
    options: () => ({
      public: Option.Boolean('--public', { description: 'list it in the public registry' }),
      private: Option.Boolean('--private', { description: 'do not list it' }),
      wait: Option.Boolean('--wait', true, { description: 'wait until it is live' }),
    }),
    run: async ({ file, public: shown, private: hidden, wait }, { client, output }) => {
      const isPublic = listing(shown, hidden);
      const manifest = await readManifest(file);
      const { waitUntilLive } = await import('../deploy/deploy.ts');
      const made = await client.agents.compose({ body: isPublic === undefined ? manifest : { ...manifest, public: isPublic } });
      for (const { agent, problem } of made.sub_agents) if (problem !== null) output.note(`Left out ${agent ?? 'an agent'}: ${problem}`);
      output.note(`${made.name} calls ${made.sub_agents.flatMap(({ agent, skills }) => skills.map(({ skill }) => `${agent}.${skill}`)).join(', ')}`);
      if (wait) await waitUntilLive(client, made, output);
      output.hint(`Call it with: svc call ${made.name} run ${made.arguments.map((name) => `${name}=…`).join(' ')}`.trimEnd());
      return made;
    },
    lines: ({ url }) => [url],
  }),
];

// What the projects of all recipes share: settings written from the brief, the recipe's own files as they
// are, a page, a README.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SecretKey } from '#contract/agents/agent-secrets.ts';
import { literal, quoted } from '../../agents/source/literal.ts';
import type { ProjectFile } from '../../agents/source/pack.ts';
import { COMMANDS, copiedFiles, headFiles } from '../../agents/source/project-files.ts';
import { Invalid } from '../../kernel/errors.ts';
import { PAGE_YAML, pageFiles } from './page.ts';
import type { RecipeBrief } from './recipe.ts';

export interface RecipeProjectInput {
  brief: RecipeBrief;
  /** The recipe's folder. */
  folder: string;
  /** The class in its agent.ts. */
  className: string;
  /** Of its `project/`, beside agent.ts and agent.test.ts. */
  modules: readonly string[];
  /** The module that exports the type Settings. */
  settingsFrom: string;
  settings: Readonly<Record<string, unknown>>;
  /** Hosts that the agent may reach. */
  hosts?: readonly string[];
  /** More of svc.yaml; ends with a line break. */
  yaml?: string;
  /** What it does and where to change it, for the README: a paragraph each. */
  about: readonly string[];
}

/** A module that passes on another of shared/: a project gets that one in its place. */
const SHARED = /^export \* from '\.\.\/\.\.\/shared\/([a-z-]+\.ts)';\s*$/;

export async function projectOf(i: RecipeProjectInput): Promise<ProjectFile[]> {
  const { brief, folder, className, modules, yaml = '' } = i;
  checkSecrets(brief.integrations);
  const copied = await copiedFiles(join(folder, 'project'), ['agent.ts', 'agent.test.ts', ...modules]);
  return [
    ...headFiles({ name: brief.name, version: brief.version, className, more: yaml + (brief.frontend ? PAGE_YAML : '') }),
    { path: '.gitignore', content: 'node_modules/\n.svc/\n.env*\n' },
    { path: 'README.md', content: readme(i) },
    { path: 'settings.ts', content: settingsTs(i) },
    ...(await Promise.all(copied.map(inPlace))),
    ...(brief.frontend ? await pageFiles(brief.name) : []),
  ];
}

/** What the owner does for each secret. @param read how many of them the code reads, the first ones */
export function secretSteps({ name, integrations }: Pick<RecipeBrief, 'name' | 'integrations'>, read: number): string[] {
  const commands = integrations.map((secret) => `Set the secret ${secret}: svc secrets set ${name} ${secret}`);
  const unread = integrations
    .slice(read)
    .map((secret) => `Nothing reads ${secret} yet: read it in agent.ts with ctx.secret('${secret}'), or take it out of settings.ts.`);
  return [...commands, ...unread];
}

/** @throws Invalid */
function checkSecrets(names: readonly string[]): void {
  const issues = names.flatMap((name, at) =>
    SecretKey.safeParse(name).success ? [] : [{ path: ['body', 'integrations', at], message: 'is not the name of a secret: use letters, digits and _' }],
  );
  if (issues.length > 0) throw new Invalid(issues);
}

async function inPlace(file: ProjectFile): Promise<ProjectFile> {
  const [, shared] = SHARED.exec(String(file.content)) ?? [];
  if (shared === undefined) return file;
  return { path: file.path, content: await readFile(join(import.meta.dirname, 'shared', shared), 'utf8') };
}

function settingsTs({ brief, settings, settingsFrom, hosts = [] }: RecipeProjectInput): string {
  const about = { name: brief.name, description: brief.goal, version: brief.version, secrets: brief.integrations, hosts };
  return `// What this agent was asked for. Edit it; agent.ts reads it. The name and the version are in svc.yaml, too.
import type { Settings } from ${quoted(`./${settingsFrom}`)};

export const about = ${literal(about)};

export const settings: Settings = ${literal(settings)};
`;
}

function readme({ brief, about, modules }: RecipeProjectInput): string {
  const quotedGoal = brief.goal
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => `> ${line.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ').replaceAll('<', '&lt;')}`)
    .join('\n');
  return `# ${brief.name}

${quotedGoal}

${about.join('\n\n')}

\`settings.ts\` says what it was asked for, \`agent.ts\` is the agent, ${modules.map((path) => `\`${path}\``).join(', ')} ${modules.length > 1 ? 'do' : 'does'} the work, \`agent.test.ts\` tests it.

${COMMANDS}`;
}

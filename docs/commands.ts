// docs/cli.md and the pages below docs/cli/: every command as the tool itself declares it. `node
// docs/pages.ts` writes them, a test compares them.
import { PassThrough } from 'node:stream';
import { type Page, optionRows, pagesOf, sentence, usageOf } from '#cli/parser/help.ts';
import { contextOf } from '#cli/parser/run.ts';
import { toolOf } from '#cli/parser/tool.ts';

interface Part {
  file: string;
  title: string;
  /** First words of its commands. */
  topics: string;
}

const PARTS: readonly Part[] = [
  { file: 'account', title: 'Sign in', topics: 'login signup logout whoami token sign-ins completion' },
  { file: 'projects', title: 'Projects', topics: 'init validate card run test compile sidecar build frontend openapi dev ssh ssh-proxy clone git-credential' },
  {
    file: 'agents',
    title: 'Agents',
    topics: 'agents describe status open mcp-url deploy compose local-deploy local-cleanup rollback review upgrade delete import auth studio autopilot',
  },
  { file: 'calls', title: 'Calls and runs', topics: 'call chat runs logs answer cancel use unuse trace thumb consent setup schedules receipt' },
  {
    file: 'evaluation',
    title: 'Evaluation',
    topics: 'rules scores datasets eval evaluations challenge findings rehearse readiness simulate evolve trials team brain',
  },
  { file: 'evidence', title: 'Evidence and proofs', topics: 'dossier evidence insights proof' },
  {
    file: 'access',
    title: 'Files, secrets and access',
    topics: 'files secrets databases tokens links callers origins domains mailbox models control-room policy',
  },
  { file: 'money', title: 'Money', topics: 'credits billing prices charges bounties payouts' },
  { file: 'organizations', title: 'Organizations', topics: 'orgs compliance' },
  { file: 'installation', title: 'The installation', topics: 'workers' },
];
const WRITTEN = 'Written by `node docs/pages.ts` from the commands of `cli/`. Do not edit.';

/** Each page by its path, from the root. */
export async function commandPages(): Promise<Map<string, string>> {
  const cli = await toolOf(false);
  const streams = { stdin: process.stdin, stdout: new PassThrough(), stderr: new PassThrough(), terminal: false, interactive: false };
  const context = contextOf({ env: {}, home: '/home', repository: '/', ...streams });
  const parts = Map.groupBy(pagesOf(cli), partOf);
  const tables = PARTS.map((part) => {
    const rows = (parts.get(part) ?? []).map(
      ({ words, description = '' }) => `| [${words}](cli/${part.file}.md#${anchor(words)}) | ${cell(sentence(description))} |`,
    );
    return `## ${part.title}\n\n| command | |\n|---|---|\n${rows.join('\n')}\n`;
  });
  const details = PARTS.map((part): [string, string] => {
    const commands = (parts.get(part) ?? []).map((page) => command(page, optionRows(cli, context, page)));
    return [`docs/cli/${part.file}.md`, `# Commands: ${part.title.toLowerCase()}\n\n${WRITTEN} [All commands](../cli.md).\n\n${commands.join('\n')}`];
  });
  const lead = `\`svc COMMAND --help\` shows the same in the terminal ([install the tool](using.md#install-the-tool)). Results go to standard output, all else to standard error. Exit codes, \`--json\` and completion: [use agents](using.md#call).`;
  return new Map([['docs/cli.md', `# Command line\n\n${WRITTEN}\n\n${lead}\n\n${tables.join('\n')}`], ...details]);
}

/** @throws Error for a new command, until PARTS names it */
function partOf({ words }: Page): Part {
  const [topic = ''] = words.split(' ');
  const part = PARTS.find(({ topics }) => topics.split(' ').includes(topic));
  if (!part) throw new Error(`docs/commands.ts does not say on which page svc ${words} is`);
  return part;
}

function command(page: Page, options: { names: string; text: string }[]): string {
  const usage = [page.words, ...page.also].map((words) => usageOf(page, words).replace('Usage: ', ''));
  const rows = options.map(({ names, text }) => `| ${code(names)} | ${cell(text)} |`);
  const examples = (page.examples ?? []).map(([title, line]) => `# ${title.trim().replace(/:$/, '')}\n${line.trim()}`);
  return [
    `## svc ${page.words}\n`,
    `${prose(sentence(page.description ?? ''))}\n`,
    `\`\`\`text\n${usage.join('\n')}\n\`\`\`\n`,
    ...(page.details === undefined ? [] : [`${prose(page.details.trim().replaceAll(/\s+/g, ' '))}\n`]),
    ...(rows.length === 0 ? [] : [`| option | |\n|---|---|\n${rows.join('\n')}\n`]),
    ...(examples.length === 0 ? [] : [`\`\`\`sh\n${examples.join('\n')}\n\`\`\`\n`]),
  ].join('\n');
}

const anchor = (words: string): string => `svc-${words.replaceAll(' ', '-')}`;
const code = (names: string): string =>
  names
    .split(', ')
    .map((name) => `\`${name}\``)
    .join(', ');
/** What Markdown would read as its own. */
const prose = (text: string): string => text.replaceAll(/[<*[\]]/g, String.raw`\$&`);
const cell = (text: string): string => prose(text.replaceAll(/\s+/g, ' ')).replaceAll('|', String.raw`\|`);

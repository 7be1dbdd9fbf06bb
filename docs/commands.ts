// docs/cli.md and the pages below docs/cli/: every command as the tool itself declares it. `node
// docs/pages.ts` writes them, a test compares them.
import { PassThrough } from 'node:stream';
import { type Group, GROUPS, topicsOf } from '#cli/parser/groups.ts';
import { type Page, optionRows, pagesOf, sentence, usageOf } from '#cli/parser/help.ts';
import { contextOf } from '#cli/parser/run.ts';
import { toolOf } from '#cli/parser/tool.ts';

const WRITTEN = 'Written by `node docs/pages.ts` from the commands of `cli/`. Do not edit.';

/** Each page by its path, from the root. */
export async function commandPages(): Promise<Map<string, string>> {
  const cli = await toolOf(false);
  const streams = { stdin: process.stdin, stdout: new PassThrough(), stderr: new PassThrough(), terminal: false, interactive: false };
  const context = contextOf({ env: {}, home: '/home', repository: '/', ...streams });
  const parts = Map.groupBy(pagesOf(cli), partOf);
  const tables = GROUPS.map((part) => {
    const rows = (parts.get(part) ?? []).map(
      ({ words, description = '' }) => `| [${words}](cli/${part.name}.md#${anchor(words)}) | ${cell(sentence(description))} |`,
    );
    return `## ${part.title}\n\n| command | |\n|---|---|\n${rows.join('\n')}\n`;
  });
  const details = GROUPS.map((part): [string, string] => {
    const commands = (parts.get(part) ?? []).map((page) => command(page, optionRows(cli, context, page)));
    return [`docs/cli/${part.name}.md`, `# Commands: ${part.title.toLowerCase()}\n\n${WRITTEN} [All commands](../cli.md).\n\n${commands.join('\n')}`];
  });
  const lead = `\`svc COMMAND --help\` shows the same in the terminal ([install the tool](using.md#install-the-tool)). Results go to standard output, all else to standard error. Exit codes, \`--json\` and completion: [use agents](using.md#call).`;
  return new Map([['docs/cli.md', `# Command line\n\n${WRITTEN}\n\n${lead}\n\n${tables.join('\n')}`], ...details]);
}

/** @throws Error for a new command, until a group has it */
function partOf({ words }: Page): Group {
  const [topic = ''] = words.split(' ');
  const part = GROUPS.find((group) => topicsOf(group).includes(topic));
  if (!part) throw new Error(`cli/parser/groups.ts does not say in which group svc ${words} is`);
  return part;
}

function command(page: Page, options: { names: string; text: string }[]): string {
  const usage = usageOf(page, page.words).replace('Usage: ', '');
  const rows = options.map(({ names, text }) => `| ${code(names)} | ${cell(text)} |`);
  const examples = (page.examples ?? []).map(([title, line]) => `# ${title.trim().replace(/:$/, '')}\n${line.trim()}`);
  return [
    `## svc ${page.words}\n`,
    `${prose(sentence(page.description ?? ''))}\n`,
    `\`\`\`text\n${usage}\n\`\`\`\n`,
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

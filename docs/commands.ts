// docs/cli.md: every command as the tool itself declares it. `node docs/pages.ts` writes the page, a test compares it.
import { PassThrough } from 'node:stream';
import { type Page, optionRows, pagesOf, sentence, usageOf } from '#cli/help.ts';
import { contextOf, toolOf } from '#cli/run.ts';

const HEAD = `# Command line

Written by \`node docs/pages.ts\` from the commands of \`cli/\`. Do not edit.

\`npx svc COMMAND --help\` shows the same in the terminal. Results go to standard output, all else to standard error. Exit codes, \`--json\` and completion: [use agents](using.md#call).
`;

export function commandReference(): string {
  const cli = toolOf(false);
  const streams = { stdin: process.stdin, stdout: new PassThrough(), stderr: new PassThrough(), terminal: false, interactive: false };
  const context = contextOf({ env: {}, home: '/home', repository: '/', ...streams });
  const pages = pagesOf(cli);
  const topics = Map.groupBy(pages, ({ words }) => words.split(' ')[0] ?? '');
  const overview = pages.map(({ words, description = '' }) => `| [${words}](#${anchor(words)}) | ${cell(sentence(description))} |`);
  const sections = [...topics].map(([topic, members]) => {
    const isTopic = members.some(({ words }) => words !== topic);
    const parts = members.map((page) => command(page, optionRows(cli, context, page), isTopic ? '###' : '##'));
    return isTopic ? `## Commands of ${topic}\n\n${parts.join('\n')}` : parts.join('\n');
  });
  return `${HEAD}\n## All commands\n\n| command | |\n|---|---|\n${overview.join('\n')}\n\n${sections.join('\n')}`;
}

function command(page: Page, options: { names: string; text: string }[], level: string): string {
  const usage = [page.words, ...page.also].map((words) => usageOf(page, words).replace('Usage: ', ''));
  const rows = options.map(
    ({ names, text }) =>
      `| ${names
        .split(', ')
        .map((name) => `\`${name}\``)
        .join(', ')} | ${cell(text)} |`,
  );
  const examples = (page.examples ?? []).map(([title, line]) => `# ${title.trim().replace(/:$/, '')}\n${line.trim()}`);
  return [
    `${level} svc ${page.words}\n`,
    `${prose(sentence(page.description ?? ''))}\n`,
    `\`\`\`text\n${usage.join('\n')}\n\`\`\`\n`,
    ...(page.details === undefined ? [] : [`${prose(page.details.trim().replaceAll(/\s+/g, ' '))}\n`]),
    ...(rows.length === 0 ? [] : [`| option | |\n|---|---|\n${rows.join('\n')}\n`]),
    ...(examples.length === 0 ? [] : [`\`\`\`sh\n${examples.join('\n')}\n\`\`\`\n`]),
  ].join('\n');
}

const anchor = (words: string): string => `svc-${words.replaceAll(' ', '-')}`;
/** What Markdown would read as its own. */
const prose = (text: string): string => text.replaceAll(/[<*[\]]/g, String.raw`\$&`);
const cell = (text: string): string => prose(text.replaceAll(/\s+/g, ' ')).replaceAll('|', String.raw`\|`);

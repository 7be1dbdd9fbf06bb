// The documentation as Markdown, for programs that read it: each page, and llms.txt (https://llmstxt.org),
// which lists them.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CONTENTS, ENTRIES } from '../../../docs/contents.ts';

/** Where a page is as Markdown, below the root of the platform's address. */
const addressOf = (at: string): string => (at === '' ? '/docs.md' : `/docs/${at}.md`);

/** Writes `docs.md`, `docs/<page>.md` and `llms.txt` into the folder of a build. */
export async function writeMarkdown(folder: string, root: string): Promise<void> {
  const titles = new Map<string, string>();
  for (const { source, at } of ENTRIES) {
    const text = await readFile(join(root, source), 'utf8');
    titles.set(at, /^# (.+)$/m.exec(text)?.[1] ?? at);
    const file = join(folder, addressOf(at));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, linked(source, text));
  }
  await writeFile(join(folder, 'llms.txt'), listOf(titles));
}

/** Links to other pages lead to them as Markdown; those to files of the repository stay as they are. */
function linked(source: string, text: string): string {
  return text.replaceAll(/\]\(([^)\s#]*)(#[^)\s]*)?\)/g, (whole, path: string, hash = '') => {
    const entry = path === '' ? undefined : ENTRIES.find((one) => one.source === join(dirname(source), path));
    return entry === undefined ? whole : `](${addressOf(entry.at)}${hash})`;
  });
}

function listOf(titles: ReadonlyMap<string, string>): string {
  const sections = CONTENTS.map(({ title, pages }) => {
    const links = pages.map(({ at }) => `- [${titles.get(at) ?? at}](${addressOf(at)})`);
    return `## ${title}\n\n${links.join('\n')}\n`;
  });
  const about = 'A platform where agents live: deploy them, call them over HTTP, MCP, A2A and AG-UI, and keep signed receipts of every call.';
  const api = '## API\n\n- [OpenAPI document](/v1/openapi.json): every route of the control plane\n';
  return `# svc\n\n> ${about}\n\n${[...sections, api].join('\n')}`;
}

// Finds passages in the files of whoever calls it. The platform's full-text search finds the documents,
// passages.ts what they say; with a model that embeds (models.embedding in svc.yaml) meaning.ts goes by what
// they mean, too.
import { Agent, ModelFailed, NotAvailable, type RunContext, skill, SkillInputError, WorkspaceAccess, type WorkspaceView, z } from '@svc/sdk';
import { byMeaning, candidatesOf, fused } from './meaning.ts';
import { bestPassages, type Passage as Found, passagesOf, type Ranked, type Settings } from './passages.ts';
import { about, settings } from './settings.ts';

const MAX_BYTES = 2_000_000;
const Passage = z.object({ path: z.string(), line: z.int().describe('Of its first line, from 1.'), text: z.string(), score: z.number() });

export class FileRetrieval extends Agent {
  name = about.name;
  description = about.description;
  version = about.version;
  override requiredSecrets: readonly string[] = about.secrets;
  override concurrency = 4;
  override workspaceAccess = WorkspaceAccess.dynamic({ maxFiles: 25, denyPatterns: ['**/private/**'] });
  readonly settings: Settings = settings;

  search = skill(
    {
      description: 'Finds the passages of your files that say most about a question, with the place of each.',
      tags: ['files', 'search'],
      readOnly: true,
      idempotent: true,
      timeoutSeconds: 60,
      input: z.object({ question: z.string().trim().min(2).max(500), limit: z.int().min(1).max(20).default(5) }),
      output: z.object({
        passages: z.array(Passage),
        documents: z.int().describe('Read for this question.'),
        skipped: z.array(z.string()).describe('Found, and not read: no text, or too large.'),
      }),
    },
    async (ctx, { question, limit }) => {
      const { file_types, max_files, subject } = this.settings;
      const found = await this.#find(ctx, question, file_types, max_files);
      if (found.length === 0) return { passages: [], documents: 0, skipped: [] };
      const paths = found.filter(({ sizeBytes }) => sizeBytes <= MAX_BYTES).map(({ path }) => path);
      const view = paths.length === 0 ? undefined : await viewOf(ctx, paths, question);
      const read = await Promise.all(paths.map(async (path) => ({ path, text: view && (await textOf(view, path)) })));
      const documents = read.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }]));
      const all = documents.flatMap(({ path, text }) => passagesOf(path, text));
      const passages = await bestOf(ctx, question, bestPassages(`${question} ${subject}`, all, all.length), all, limit);
      const known = new Set(documents.map(({ path }) => path));
      return { passages, documents: documents.length, skipped: found.map(({ path }) => path).filter((path) => !known.has(path)) };
    },
  );

  read = skill(
    {
      description: 'Shows lines of one file, such as those around a passage that was found.',
      tags: ['files'],
      readOnly: true,
      idempotent: true,
      input: z.object({ path: z.string().min(1).max(1024), line: z.int().min(1).default(1), lines: z.int().min(1).max(400).default(40) }),
      output: z.object({ path: z.string(), line: z.int(), text: z.string(), of: z.int().describe('Lines of the file.') }),
    },
    async (ctx, { path, line, lines }) => {
      const text = await textOf(await viewOf(ctx, [path], `lines of ${path}`), path);
      if (text === undefined) throw new SkillInputError(`${path} is no text, or has more than ${MAX_BYTES} bytes: choose another file.`);
      const all = text.split('\n');
      if (line > all.length)
        throw new SkillInputError(`${path} has ${all.length} lines: ask for one of them.`, [
          { path: ['line'], code: 'too_big', message: `must be ${all.length} or less` },
        ]);
      return { path, line, text: all.slice(line - 1, line - 1 + lines).join('\n'), of: all.length };
    },
  );

  /** By the question; where no file has words of it, by the subject. */
  async #find({ workspace }: RunContext, question: string, types: Settings['file_types'], limit: number) {
    const found = await workspace.search(question, { types, limit });
    return found.length > 0 || this.settings.subject === '' ? found : await workspace.search(this.settings.subject, { types, limit });
  }
}

/**
 * By their words; with a model that embeds by their meaning, too. Where it cannot be asked, words are enough.
 */
async function bestOf(ctx: RunContext, question: string, byWords: readonly Ranked[], all: readonly Found[], most: number): Promise<Ranked[]> {
  if (process.env['SVC_EMBEDDING_MODEL'] === undefined || all.length === 0) return byWords.slice(0, most);
  const candidates = candidatesOf(byWords, all);
  try {
    const { vectors } = await ctx.llm.embed([question, ...candidates.map(({ text }) => text)]);
    const [asked = [], ...rest] = vectors;
    return fused([byWords, byMeaning(asked, candidates, rest)], most);
  } catch (error) {
    if (!(error instanceof ModelFailed || error instanceof NotAvailable)) throw error;
    ctx.log.warn(`Ranked only by words: ${error.message}`);
    return byWords.slice(0, most);
  }
}

/** Under what the caller passed on, else what they allow now. */
async function viewOf({ workspace }: RunContext, paths: readonly string[], purpose: string): Promise<WorkspaceView> {
  return workspace.grant ? await workspace.view() : await workspace.requestAccess(paths, { mode: 'read_only', reason: `to answer: ${purpose}` });
}

/** Undefined: it is no text. */
async function textOf(view: Pick<WorkspaceView, 'read'>, path: string): Promise<string | undefined> {
  const bytes = await view.read(path);
  return bytes.byteLength > MAX_BYTES || bytes.includes(0) ? undefined : new TextDecoder().decode(bytes);
}

import { Agent, skill, SkillInputError, WorkspaceAccess, z, type RunContext, type WorkspaceView } from '@svc/sdk';
import { catalogueOf, choiceOf, entryOf } from './catalogue.ts';
import { bestPassages, passagesOf } from './passages.ts';

const Passage = z.object({ path: z.string(), line: z.int(), text: z.string(), score: z.number() });
const READABLE = ['text', 'document', 'code'] as const;

export class Librarian extends Agent {
  name = 'librarian';
  description = 'Finds passages in your workspace and keeps a catalogue of it, asking you where it should; needs no model and no key.';
  version = '0.1.0';
  inputModes = ['application/json'];
  outputModes = ['application/json', 'text/event-stream'];
  concurrency = 4;
  resources = { cpu: '500m', memory: '256Mi', maxRuntimeSeconds: 120 };
  workspaceAccess = WorkspaceAccess.dynamic({ maxFiles: 25, allowedModes: ['read_only', 'read_write_overlay'], denyPatterns: ['**/private/**'] });

  find = skill(
    {
      description: 'Finds the passages of the workspace that say most about a question, as far as the grant it holds shows them.',
      tags: ['workspace', 'search'],
      idempotent: true,
      input: z.object({ question: z.string().min(1).max(500), limit: z.int().min(1).max(20).default(5) }),
      output: z.object({ passages: z.array(Passage), documents: z.int() }),
    },
    async (ctx, { question, limit }) => {
      const view = await viewFor(ctx, question);
      const passages = (await Promise.all(view.files.map(async ({ path }) => passagesOf(path, await textOf(view, path))))).flat();
      return { passages: bestPassages(question, passages, limit), documents: view.files.length };
    },
  );

  catalogue = skill(
    {
      description: 'Asks which documents on a subject belong into the catalogue, then for the right to write it, and writes it.',
      tags: ['workspace', 'catalogue'],
      stream: true,
      allowScopeExpansion: true,
      input: z.object({
        subject: z.string().min(1).max(500),
        shelf: z.string().min(1).max(200).default('catalogue').describe('Folder to write into.'),
        wait_seconds: z.number().min(1).max(86_400).default(180).describe('How long to wait for a person, each time.'),
      }),
      output: z.object({ catalogued: z.array(z.string()), written: z.array(z.string()) }),
    },
    async (ctx, { subject, shelf, wait_seconds: patience }) => {
      await ctx.emitProgress(`looking for documents about ${subject}`);
      const view = await viewFor(ctx, subject);
      // What it wrote before is no document.
      const paths = view.files.map(({ path }) => path).filter((path) => !path.startsWith(`${shelf}/`));
      if (paths.length === 0) return { catalogued: [], written: [] };
      const chosen = await choose(ctx, paths, patience);
      if (chosen.length === 0) return { catalogued: [], written: [] };
      const entries = await Promise.all(chosen.map(async (path) => entryOf(path, await textOf(view, path))));
      await ctx.requestScope({
        reason: `to write the catalogue of ${chosen.length} documents about ${subject}`,
        writePrefix: shelf,
        mode: 'read_write_overlay',
        timeoutSeconds: patience,
      });
      // Written as a patch: it becomes a file of the workspace when this run has succeeded.
      const shelves = await ctx.workspace.view();
      const { path } = await shelves.write(`${shelf}/index.md`, catalogueOf(entries));
      await ctx.emitProgress(`catalogued ${chosen.length} of ${paths.length} documents in ${path}`);
      return { catalogued: chosen, written: [path] };
    },
  );
}

/** What a calling agent passed on, else what the platform picks for the purpose and its owner lets read. */
async function viewFor(ctx: RunContext, subject: string): Promise<Pick<WorkspaceView, 'files' | 'read'>> {
  const { workspace } = ctx;
  if (!workspace.grant) return await workspace.openView({ purpose: subject, fileTypes: READABLE, reason: `to find what is said about ${subject}` });
  const files = await workspace.search(subject, { types: READABLE });
  const view = await workspace.view();
  return { files, read: (path) => view.read(path) };
}

async function choose(ctx: RunContext, paths: readonly string[], patience: number): Promise<string[]> {
  const prompt = `Which of these belong into the catalogue? ${paths.map((path, at) => `${at + 1}) ${path}`).join('  ')}  (numbers, "all" or "none")`;
  const chosen = choiceOf(await ctx.ask(prompt, patience), paths.length);
  if (!chosen) throw new SkillInputError(`the answer must be numbers from 1 to ${paths.length}, "all" or "none"`);
  return chosen.flatMap((at) => paths[at] ?? []);
}

async function textOf(view: Pick<WorkspaceView, 'read'>, path: string): Promise<string> {
  return new TextDecoder().decode(await view.read(path));
}

// The page of an agent that was asked for with one: a form for its first skill, and the answer. Plain files,
// the same for every recipe.
import { join } from 'node:path';
import type { ProjectFile } from '../../agents/source/pack.ts';
import { copiedFiles } from '../../agents/source/project-files.ts';

export const PAGE_YAML = '# Served at /app beside the agent.\nfrontend:\n  path: frontend\n  dist: .\n  mount: /app\n  auth: inherit\n';

/** @param name of the agent, which is letters, digits and hyphens */
export async function pageFiles(name: string): Promise<ProjectFile[]> {
  const files = await copiedFiles(join(import.meta.dirname, 'page'), ['index.html', 'app.js', 'events.js', 'style.css']);
  return files.map(({ path, content }) => ({ path: `frontend/${path}`, content: String(content).replaceAll('{{name}}', name) }));
}

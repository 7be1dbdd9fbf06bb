// Everything `validate` looks at, short of running a skill.
import type { AgentCard } from '../../contract/wire/card.ts';
import { loadCard } from './load.ts';
import { ProjectError, type Problem } from './problem.ts';
import { entryOf, readProject, type Project } from './read.ts';
import { linkSdk } from './sdk.ts';

export interface Checked {
  project: Project;
  card: AgentCard;
}

/** @throws ProjectError with every problem found */
export async function checkProject(path: string): Promise<Checked> {
  const project = await readProject(path);
  const entry = entryOf(project);
  await linkSdk(project.folder);
  const card = await loadCard(project.folder, entry);
  const problems = (['name', 'version'] as const).flatMap((key) => disagreement(project, card, key));
  if (problems.length > 0) throw new ProjectError(problems);
  return { project, card };
}

function disagreement({ manifest, manifestFile, lineOf }: Project, card: AgentCard, key: 'name' | 'version'): Problem[] {
  if (manifest[key] === card[key]) return [];
  return [{ file: manifestFile, line: lineOf([key]), message: `${key} is "${manifest[key]}" here and "${card[key]}" in the class: make them the same` }];
}

// Everything `validate` looks at, short of running a skill.
import { basename } from 'node:path';
import type { AgentCard } from '#contract/wire/card.ts';
import { unsupportedIn } from '#contract/wire/unsupported.ts';
import { loadCard, type Say } from './load.ts';
import { ProjectError, type Problem } from './problem.ts';
import { checkVersion, entryOf, readProject, type Project } from './read.ts';

export interface Checked {
  project: Project;
  card: AgentCard;
}

/** @throws ProjectError with every problem found */
export async function checkProject(path: string, say?: Say): Promise<Checked> {
  const project = await readProject(path);
  const entry = entryOf(project);
  await checkVersion(project, entry);
  const card = await loadCard(project.folder, entry, say);
  agree(project, card);
  refuseUnsupported(project, card);
  return { project, card };
}

/** @throws ProjectError where svc.yaml and the card differ */
export function agree(project: Project, card: AgentCard): void {
  const problems = (['name', 'version'] as const).flatMap((key) => disagreement(project, card, key));
  if (problems.length > 0) throw new ProjectError(problems);
}

/** As a deploy does. @throws ProjectError for options of the card that would have no effect */
function refuseUnsupported(project: Project, card: AgentCard): void {
  const problems = unsupportedIn(card).map(({ option, message }): Problem => ({ file: entryOf(project).declaration, message: `${option}: ${message}` }));
  if (problems.length > 0) throw new ProjectError(problems);
}

function disagreement(project: Project, card: AgentCard, key: 'name' | 'version'): Problem[] {
  const { manifest, manifestFile, lineOf } = project;
  if (manifest[key] === card[key]) return [];
  const { file, declaration } = entryOf(project);
  const there = declaration === file ? 'the class' : basename(declaration);
  return [{ file: manifestFile, line: lineOf([key]), message: `${key} is "${manifest[key]}" here and "${card[key]}" in ${there}: make them the same` }];
}

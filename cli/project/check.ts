// Everything `validate` looks at, short of running a skill.
import { basename } from 'node:path';
import type { AgentCard } from '#contract/wire/card.ts';
import { unsupportedIn } from '#contract/wire/unsupported.ts';
import type { Say } from '../lib/progress.ts';
import { loadCard } from './load.ts';
import { isSame, ProjectError, type Problem } from './problem.ts';
import { checkVersion, entryOf, readProject, type Entry, type Project } from './read.ts';
import { typesOf } from './types/check.ts';

export interface Checked {
  project: Project;
  card: AgentCard;
}

/** @throws ProjectError with every problem found */
export async function checkProject(path: string, say?: Say): Promise<Checked> {
  const project = await readProject(path);
  const entry = entryOf(project);
  await checkVersion(project, entry);
  const card = await together(project, entry, () => loadCard(project.folder, entry, say), say);
  agree(project, card);
  refuseUnsupported(project, card);
  return { project, card };
}

/** Loads the project while its types are checked. @throws ProjectError with the problems of both */
export async function together<T>(project: Project, entry: Entry, load: () => Promise<T>, say?: Say): Promise<T> {
  const types = await typesOf(project.folder, entry, say);
  const loaded = await load().catch((error: unknown) => {
    if (error instanceof ProjectError) return error;
    throw error;
  });
  const problems = loaded instanceof ProjectError ? loaded.problems.map((problem) => placed(project, problem)) : [];
  const further = (await types.found()).filter((problem) => !problems.some((known) => isSame(known, problem)));
  if (loaded instanceof ProjectError || further.length > 0) throw new ProjectError([...problems, ...further]);
  return loaded;
}

/** What is to be corrected in svc.yaml stands there. */
function placed({ manifestFile, placeOf }: Project, problem: Problem): Problem {
  const { of, ...rest } = problem;
  return of === undefined ? rest : { file: manifestFile, ...placeOf([of]), message: rest.message };
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
  const { manifest, manifestFile, placeOf } = project;
  if (manifest[key] === card[key]) return [];
  const { file, declaration } = entryOf(project);
  const there = declaration === file ? 'the class' : basename(declaration);
  return [{ file: manifestFile, ...placeOf([key]), message: `${key} is "${manifest[key]}" here and "${card[key]}" in ${there}: make them the same` }];
}

// A run of the studio as it is kept.
import type { Knex } from 'knex';
import type { StudioBrief, StudioCandidate, StudioPlanOut } from '#contract/studio/studio-brief.ts';
import type { StudioIterationsRow, StudioPlansRow, StudioRunsRow } from '#db/tables.ts';
import type { Trial, RecipeOutput } from '../recipe/recipe.ts';

export const STUDIO_KIND = 'studio_run';
export const workflowOfStudio = (runId: string): string => `studio:${runId}`;
/** Of the source of the agent: a commit for each iteration. */
export const branchOf = (runId: string): string => `studio-${runId}`;
export const FIRST_VERSION = '0.1.0';

/** What a check built, which is deployed as it is. */
export interface Built {
  iteration: number;
  image: string;
  size_bytes: number;
  sdk: string | null;
  /** Absent in rows of an earlier release. */
  runs_on?: string | null;
  card: unknown;
}

export interface Finding {
  severity: string;
  rule: string;
  path: string | null;
  title: string;
}

// Safe: only the verbs of this folder write these columns, in these shapes.
export const briefIn = (row: Pick<StudioRunsRow | StudioPlansRow, 'brief'>): StudioBrief => row.brief as StudioBrief;
export const trialsIn = (row: Pick<StudioRunsRow, 'trials'>): Trial[] => row.trials as Trial[];
export const nextIn = (row: Pick<StudioRunsRow, 'next'>): string[] => row.next as string[];
export const scheduleIn = (row: Pick<StudioRunsRow, 'schedule'>): RecipeOutput['schedule'] | null => row.schedule as RecipeOutput['schedule'] | null;
export const builtIn = (row: Pick<StudioRunsRow, 'built'>): Built | null => row.built as Built | null;
export const findingsIn = (row: Pick<StudioIterationsRow, 'findings'>): Finding[] => row.findings as Finding[];
export const candidatesIn = (row: Pick<StudioPlansRow, 'candidates'>): StudioCandidate[] => row.candidates as StudioCandidate[];
export const recipesIn = (row: Pick<StudioPlansRow, 'recipes'>): StudioPlanOut['recipes'] => row.recipes as StudioPlanOut['recipes'];

/** The newest one; undefined: nothing is written yet. */
export function lastIteration(db: Knex, runId: string): Promise<StudioIterationsRow | undefined> {
  return db('studio_iterations').where({ run_id: runId }).orderBy('number', 'desc').first();
}

/** @throws where nothing is written yet, which no state allows that asks */
export async function newestIteration(db: Knex, runId: string): Promise<StudioIterationsRow> {
  const iteration = await lastIteration(db, runId);
  if (!iteration) throw new Error(`${runId} has no source yet`);
  return iteration;
}

/** Whether a language model may write once more. */
export async function mayMend(db: Knex, run: Pick<StudioRunsRow, 'run_id' | 'brief'>): Promise<boolean> {
  const { model, iterations } = briefIn(run);
  if (model === undefined) return false;
  const written = await db('studio_iterations').where({ run_id: run.run_id, written_by: 'model' }).limit(iterations + 1).select('number'); // prettier-ignore
  return written.length <= iterations;
}

// A plan of the studio, a run of it and its steps, as lines.
import { percent } from '#contract/studio/percent.ts';
import type { IdeasOut } from '#contract/studio/ideas.ts';
import type { StudioCandidate, StudioPlanOut, StudioRunOut } from '#contract/studio/studio-brief.ts';
import type { JobEventOut } from '#contract/runs/work-ledger.ts';
import type { z } from 'zod';
import { dollars } from '../lib/dollars.ts';
import { plain, table } from '../lib/output.ts';

const DECISIONS: Record<StudioPlanOut['decision'], string> = {
  use_existing: 'Use an existing agent',
  compose: 'Compose it of existing agents',
  fork: 'Take a copy of an agent’s source',
  edit_existing: 'Edit an agent of yours',
  build_new: 'Build a new agent',
};

const callsOf = ({ agents, skills }: StudioCandidate): string =>
  agents.map((agent, at) => `${agent}.${skills[at] ?? ''}`.replace(/\.$/, '')).join(' + ') || '-';
const price = (micros: number | null): string => (micros === null ? 'depends' : micros === 0 ? 'free' : `${(micros / 1e6).toFixed(4)} credits`);

export function planLines(plan: StudioPlanOut): string[] {
  const candidates = plan.candidates.map((one) => [
    one.decision,
    callsOf(one),
    percent(one.fit),
    percent(one.inputs_fit),
    percent(one.trust),
    price(one.price_micros),
    plain(one.reason),
  ]);
  const recipes = plan.recipes.map(({ recipe, title, fit, missing }) => [recipe, plain(title), percent(fit), missing.join(', ') || 'nothing']);
  return [
    `${DECISIONS[plan.decision]}: ${plain(plan.reason)}`,
    `Plan ${plan.plan_id}, only for this brief, until ${plan.expires_at}`,
    plan.model === null ? 'No language model writes: nothing is spent' : `Language model: ${plain(plan.model)}`,
    '',
    ...table(['DECISION', 'AGENTS', 'FIT', 'INPUTS', 'TRUST', 'A CALL', 'WHY'], candidates),
    ...(recipes.length === 0 ? ['', 'No recipe fits the goal.'] : ['', ...table(['RECIPE', 'TITLE', 'FIT', 'MISSING'], recipes)]),
  ];
}

export function runLines(run: StudioRunOut): string[] {
  const { iterations, trials } = run;
  return [
    `${run.name} (${run.state}): ${plain(run.goal)}`,
    `${DECISIONS[run.decision]}${run.agents.length === 0 ? '' : `: ${run.agents.join(', ')}`}${run.recipe === null ? '' : `, recipe ${run.recipe}`}`,
    `Spent ${dollars(run.spent_micros)} of ${dollars(run.budget_micros)}${run.model === null ? ', no language model' : ` (${plain(run.model)})`}; ${run.calls.made} of ${run.calls.most} calls`,
    ...(run.error === null ? [] : [`${run.error.code}: ${plain(run.error.message)}`]),
    ...iterations.flatMap(iterationLines),
    ...(trials.length === 0 ? [] : ['', ...table(['SAMPLE', 'RUN', 'STATE', 'ANSWER'], trials.map(({ skill, run_id, state, good, reason }) => [skill, run_id, state, answerOf(good, reason)]))]), // prettier-ignore
    ...(run.url === null ? [] : ['', run.url]),
    ...nextLines(run),
  ];
}

export const nextLines = ({ next }: Pick<StudioRunOut, 'next'>): string[] => (next.length === 0 ? [] : ['', 'Left for you:', ...next.map((one) => `  ${plain(one)}`)]); // prettier-ignore

const answerOf = (good: boolean | null, reason: string | null): string => `${good === null ? '-' : good ? 'good' : 'bad'}${reason === null ? '' : `: ${plain(reason).slice(0, 100)}`}`; // prettier-ignore

function iterationLines({ number, commit, written_by, checks, message, findings }: StudioRunOut['iterations'][number]): string[] {
  return [
    '',
    `Iteration ${number}: ${commit.slice(0, 12)} by ${written_by}, checks ${checks ?? 'not yet'}`,
    ...(message === null ? [] : [`  ${plain(message).slice(0, 500)}`]),
    ...findings.map(({ severity, rule, path, title }) => `  ${severity}: ${plain(title)} (${rule}${path === null ? '' : `, ${plain(path)}`})`),
  ];
}

/** Undefined: nothing that a person needs to see. */
export function stepLine({ kind, payload }: z.output<typeof JobEventOut>): { text: string; refused: boolean } | undefined {
  if (kind === 'job.cancel_requested') return { text: 'It is being cancelled', refused: false };
  const { phase, actor, status, message } = payload;
  if (kind !== 'studio.step' || typeof phase !== 'string') return undefined;
  return { text: plain(`${phase.padEnd(10)} ${String(actor)}: ${String(message)}`), refused: status === 'refused' };
}

export function ideaLines({ items }: IdeasOut, limit: number): string[] {
  const rows = items
    .slice(0, limit)
    .map(({ rank, score, name, recipe, missing, title }) => [`${rank}`, score.toFixed(1), name, recipe, missing.join(', ') || 'nothing', plain(title)]);
  return table(['RANK', 'SCORE', 'NAME', 'RECIPE', 'MISSING', 'TITLE'], rows);
}

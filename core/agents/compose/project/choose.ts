// Which skills a goal needs, by the words it shares with them. Copied into composed agents that plan by goal.
import { inputsNeeded, type Step, stepsNeeded } from './steps.ts';

export interface OfferedStep extends Step {
  /** Its agent's and its own description. */
  about: string;
}

/** The best `most` of those that can be called with this input, with the steps whose results they take, in their order. */
export function chooseSteps(offered: readonly OfferedStep[], goal: string, input: Readonly<Record<string, unknown>>, most: number): OfferedStep[] {
  const byId = new Map(offered.map((step) => [step.id, step]));
  const callable = (step: OfferedStep, seen: readonly string[] = []): boolean =>
    inputsNeeded(step.args).every((name) => input[name] !== undefined) &&
    stepsNeeded(step.args).every((id) => {
      const needed = byId.get(id);
      return needed !== undefined && !seen.includes(id) && callable(needed, [...seen, id]);
    });
  const wanted = words(goal);
  const ranked = offered
    .filter((step) => callable(step))
    .map((step) => ({ step, score: [...words(`${step.id} ${step.about}`)].filter((word) => wanted.has(word)).length }))
    .toSorted((a, b) => b.score - a.score);
  const best = ranked.some(({ score }) => score > 0) ? ranked.filter(({ score }) => score > 0) : ranked;
  const chosen = new Set<string>();
  for (const { step } of best) {
    const all = withNeeds(step, byId).filter((id) => !chosen.has(id));
    if (chosen.size + all.length <= most) for (const id of all) chosen.add(id);
  }
  return offered.filter(({ id }) => chosen.has(id));
}

function withNeeds(step: OfferedStep, byId: ReadonlyMap<string, OfferedStep>): string[] {
  return [...stepsNeeded(step.args).flatMap((id) => withNeeds(byId.get(id) ?? step, byId)), step.id];
}

/** Of three letters and more, by their first five: `summary`, `summaries` and `summarize` are one. */
function words(text: string): Set<string> {
  return new Set((text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).map((word) => word.slice(0, 5)));
}

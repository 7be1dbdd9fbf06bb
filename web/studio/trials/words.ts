import type { TrialContestantOut } from '#contract/studio/trial-rooms.ts';

/** Points of 100. */
export const points = (thousandths: number): string => (thousandths / 1000).toFixed(1);

export const signed = (thousandths: number): string => `${thousandths > 0 ? '+' : ''}${points(thousandths)}`;

/** "invoice-reader.read 1.2.0", "model m-1", or what it is called while it is hidden. */
export function nameOf(run: { contestant: TrialContestantOut | null; label: string }): string {
  const { contestant, label } = run;
  if (contestant === null) return label;
  if (contestant.agent === null) return `Model ${contestant.model ?? ''}`;
  return `${contestant.agent}.${contestant.skill ?? ''}${contestant.version === null ? '' : ` ${contestant.version}`}`;
}

// A trial room as lines: its contestants, best first, and what each answered.
import type { TrialContestantOut, TrialRoomOut, TrialRunOut } from '#contract/studio/trial-rooms.ts';
import { plain, table } from '../lib/output.ts';

export const points = (thousandths: number): string => (thousandths / 1000).toFixed(1);
const sign = (thousandths: number): string => `${thousandths > 0 ? '+' : ''}${points(thousandths)}`;

export function whoOf(run: { contestant: TrialContestantOut | null; label?: string }): string {
  const { contestant } = run;
  if (!contestant) return run.label ?? '?';
  if (contestant.agent === null) return `model ${contestant.model ?? ''}`;
  return `${contestant.agent}.${contestant.skill ?? ''}${contestant.version === null ? '' : ` ${contestant.version}`}`;
}

export function roomLines(room: TrialRoomOut): string[] {
  const lines = [`${plain(room.title)} (${room.state}), ${room.cases} ${room.cases === 1 ? 'case' : 'cases'}`, plain(room.goal), ''];
  if (room.contestants.length === 0) return [...lines, 'No agent has answered yet.'];
  const rows = room.contestants.map((run) => [
    run.run_id,
    plain(whoOf(run)),
    run.state,
    run.score === null ? '-' : `${points(run.score.mean)} (${points(run.score.low)} to ${points(run.score.high)})`,
    run.parts.map(({ part, mean }) => `${part} ${mean === null ? '-' : Math.round(mean * 100)}`).join(', '),
    run.ratings.mean === null ? '-' : run.ratings.mean.toFixed(0),
    run.compared === null ? '-' : `${run.compared.verdict} ${sign(run.compared.gain.mean)}`,
  ]);
  lines.push(...table(['RUN', 'WHO', 'STATE', 'SCORE', 'PARTS', 'RATED', 'VERSION BEFORE'], rows));
  if (room.decision) {
    const { run_id, reason, lead } = room.decision;
    const ahead = lead === null ? '' : `, ${sign(lead.mean)} points over the next (${sign(lead.low)} to ${sign(lead.high)})`;
    lines.push('', `Selected: ${run_id}${ahead}. ${plain(reason)}`);
  }
  return lines;
}

export function runLines(run: TrialRunOut): string[] {
  return run.results.flatMap((result) => [
    `${result.case}. ${plain(result.name ?? '')} ${result.score === null ? result.state : `${points(result.score)} points`}`.replaceAll(/ +/g, ' '),
    ...(result.error ? [`   ${result.error.code}: ${plain(result.error.message)}`] : [`   ${plain(JSON.stringify(result.output)).slice(0, 500)}`]),
    ...result.parts.flatMap(({ part, reason }) => (reason === null ? [] : [`   ${part}: ${plain(reason)}`])),
  ]);
}

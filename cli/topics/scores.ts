// How runs of an agent passed its rules.
import { Option } from 'clipanion';
import { integer } from '../lib/api-command.ts';
import { percent } from '../evaluation/compare.ts';
import { type Answer, command } from '../lib/command.ts';
import { plain, table } from '../lib/output.ts';

type Summary = Answer<'evaluations.summary'>;
type RunScores = Answer<'evaluations.runScores'>;

function versionRows({ versions }: Summary): string[][] {
  return versions.flatMap(({ number, version, live, rules, thumbs }) => {
    const of = `${number}${version === null ? '' : ` (${version})`}${live ? ' live' : ''}`;
    const scored = rules.map(({ rule, scored: n, passed, failed_runs }) => [of, rule, `${passed} of ${n}`, percent(passed / n), failed_runs[0] ?? '']);
    const { up, down } = thumbs;
    return up + down === 0 ? scored : [...scored, [of, 'thumbs', `${up} of ${up + down}`, percent(up / (up + down)), '']];
  });
}

function versionLines(summary: Summary): string[] {
  const rows = versionRows(summary);
  return rows.length === 0 ? [] : table(['DEPLOY', 'RULE', 'PASSED', 'SHARE', 'DID NOT'], rows);
}

function runLines({ scores, thumb }: RunScores): string[] {
  const rows = scores.map(({ rule, passed, score, reason }) => [rule, passed === null ? '-' : passed ? 'passed' : 'failed', score === null ? '-' : score.toFixed(2), plain(reason ?? '')]); // prettier-ignore
  const rated = thumb && `Its caller: thumb ${thumb.up ? 'up' : 'down'}${thumb.comment === '' ? '' : `, "${plain(thumb.comment)}"`}`;
  return [...(rows.length === 0 ? [] : table(['RULE', 'RESULT', 'SCORE', 'WHY'], rows)), ...(rated ? [rated] : [])];
}

function nothingIn(found: Summary | RunScores, agent: string): string | undefined {
  if ('versions' in found)
    return versionRows(found).length === 0 ? `No run of ${agent} was scored in this time. Make a rule with: svc rules set ${agent} RULE` : undefined;
  return found.scores.length === 0 ? 'No rule has scored this run, or it ended less than half a minute ago.' : undefined;
}

export const commands = [
  command('scores', {
    about: 'show how many runs of your agent passed which rule, for each version, or the scores of one run',
    examples: [
      ['The project in this folder', 'svc scores'],
      ['The last month', 'svc scores librarian --days 30'],
      ['One run', 'svc scores librarian --run run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11'],
    ],
    ofProject: true,
    options: () => ({
      days: Option.String('--days', '7', { description: 'how far back, 1 to 90' }),
      run: Option.String('--run', { description: 'the scores of this run' }),
    }),
    route: ({ run }) => (run === undefined ? 'evaluations.summary' : 'evaluations.runScores'),
    send: ({ agent, days, run }) =>
      run === undefined ? { params: { name: agent }, query: { days: integer('--days', days, { min: 1, max: 90 }) } } : { params: { name: agent, run_id: run } },
    lines: (found) => ('versions' in found ? versionLines(found) : runLines(found)),
    hint: (found, { agent }) => nothingIn(found, agent),
  }),
];

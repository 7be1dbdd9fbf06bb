// How rehearsals read in a terminal.
import type { Api } from '../../lib/api.ts';
import { type Output, plain } from '../../lib/output.ts';

export type Rehearsal = Awaited<ReturnType<Api['protocolSimulations']['get']>>;
export type ScenarioRun = Rehearsal['scenarios'][number];

const WIDTH = 9;

export function linesOf(run: ScenarioRun, output: Output, { steps }: { steps: boolean }): string[] {
  const { state, scenario, title, reason, broken, events, elapsed_ms } = run;
  const word = state.padEnd(WIDTH);
  const head = state === 'passed' ? output.good(word) : state === 'failed' || state === 'errored' ? output.bad(word) : output.dim(word);
  const took = elapsed_ms === null ? '' : output.dim(` ${(elapsed_ms / 1000).toFixed(1)} s`);
  const facts = (of: ScenarioRun['events'][number]): string => Object.entries(of.facts).map(([name, value]) => `${name} ${String(value)}`).join(', '); // prettier-ignore
  return [
    `${head} ${scenario}${took}  ${output.dim(plain(title))}`,
    ...(reason === null ? [] : [`          ${plain(reason)}`]),
    ...(steps ? events.map((event) => output.dim(plain(`          ${event.n} ${event.step}: ${event.outcome}${event.code === null ? '' : ` (${event.code})`}${facts(event) === '' ? '' : `, ${facts(event)}`}`))) : []), // prettier-ignore
    ...broken.flatMap(({ event, rule, says, expected, got }) => [
      output.bad(plain(`          Event ${event} broke ${rule}: ${says}`)),
      plain(`          expected ${expected}; got ${got}`),
    ]),
  ];
}

/** With `steps` they were printed as they ended. */
export function resultOf(shown: Rehearsal, output: Output, { steps }: { steps: boolean }): string[] {
  const { counts, digest, error, verdict } = shown;
  const of = Object.values(counts).reduce((sum, n) => sum + n, 0);
  const verdictLine = `${shown.agent} ${shown.version ?? ''}: ${verdict ?? shown.state}, ${counts.passed} of ${of} scenarios passed${counts.skipped > 0 ? `, ${counts.skipped} could not apply` : ''}`;
  return [
    ...(steps ? [] : shown.scenarios.flatMap((run) => linesOf(run, output, { steps: false }))),
    '',
    verdict === 'passed' ? output.good(verdictLine) : output.bad(verdictLine),
    ...(error === null ? [] : [output.bad(plain(error.message))]),
    `seed ${shown.seed}, digest ${digest ?? '-'}`,
    ...(shown.stage_removed ? [] : ['Its disposable account is still being removed.']),
  ];
}

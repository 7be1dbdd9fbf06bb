// Durable runs, and all other work done for an account.
import { Option } from 'clipanion';
import { ApiError } from '#contract/client.ts';
import { JobState } from '#contract/runs/work-ledger.ts';
import { integer, oneOf } from '../lib/api-command.ts';
import { type Answer, command, customCommand } from '../lib/command.ts';
import { CliError } from '../lib/errors.ts';
import { plain, table } from '../lib/output.ts';
import { jobOf } from '../runs/cancel.ts';
import { runOf } from '../runs/model.ts';

function linesOf({ items }: Answer<'workLedger.activity'>, all: boolean): string[] {
  if (items.length === 0) return [];
  const rows = items.map((job) => [
    runOf(job)?.runId ?? job.job_id,
    ...(all ? [job.kind] : []),
    job.state,
    job.created_at.slice(0, 19).replace('T', ' '),
    plain(job.title),
  ]);
  return table(['ID', ...(all ? ['KIND'] : []), 'STATE', 'STARTED (UTC)', 'WHAT'], rows);
}

export const commands = [
  command('runs', {
    about: 'list your durable runs, newest first',
    details: 'See one of them with: svc logs --run ID. Those that wait for you are decided with: svc answer.',
    examples: [
      ['Runs that wait for you', 'svc runs --state waiting'],
      ['One agent, with deploys and other jobs', 'svc runs reporter --all'],
    ],
    arguments: { agent: '[AGENT]' },
    options: () => ({
      state: Option.String('--state', { description: JobState.options.join(', ') }),
      all: Option.Boolean('--all', false, { description: 'not only runs: all work done for you' }),
      limit: Option.String('--limit,-n', '20', { description: 'how many' }),
    }),
    route: 'workLedger.activity',
    send: ({ agent, state: word, all, limit: most }) => {
      const limit = integer('--limit', most, { min: 1, max: 200 });
      const state = word === undefined ? undefined : oneOf('--state', word, JobState.options);
      return { query: { limit, state, agent, ...(all ? {} : { kind: 'run' }) } };
    },
    json: ({ items }) => items,
    lines: (jobs, { all }) => linesOf(jobs, all),
    empty: ({ state }) => `None${state === undefined ? '. Start one with: svc call AGENT TOOL --detach' : ` is ${state}.`}`,
  }),
];

export const cancel = customCommand('cancel', {
  about: 'cancel a run, a deploy, or any other work of yours, by its id',
  details:
    'ID is of a run, a job, a deployment, a wait, a plan, or of other work, as any command printed it. Notifies the skill, withdraws its open questions, revokes its grants and cancels the runs it started. Exits 1 when the run has ended already.',
  examples: [
    ['By the id that svc runs shows', 'svc cancel run_0193…'],
    ['A deploy that was queued', 'svc cancel dep_0193…'],
  ],
  arguments: { id: 'ID' },
  options: () => ({ agent: Option.String('--agent', { description: 'of the run: found faster' }) }),
  aboutJson: 'print the job as JSON',
  run: async ({ id, agent }, { client }) => {
    const job_id = await jobOf(client, id, agent);
    return client.workLedger.cancel({ params: { job_id } }).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.status === 409)) throw error;
      throw new CliError(`It has ended already.${/^(?:run|job)_/.test(id) ? ` See it with: svc logs --run ${id}` : ''}`, undefined, { cause: error });
    });
  },
  hint: ({ state }, { json }) => (json ? undefined : state === 'cancelled' ? 'Cancelled.' : 'It is being cancelled.'),
});

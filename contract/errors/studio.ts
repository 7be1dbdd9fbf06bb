// Meta-runs.
import { errors } from './kit.ts';

export const studioErrors = errors({
  meta_run_not_found: { status: 404, meaning: 'There is no such meta-run here.', remedy: 'List the meta-runs of the agent.' },
  meta_run_ended: { status: 409, meaning: 'The meta-run has ended.', remedy: 'Start another for what is left.' },
  too_many_meta_runs: { status: 409, meaning: 'The agent keeps as many goals for the user as allowed.', remedy: 'Delete some first.' },
  nobody_to_work_for: { status: 403, meaning: 'The run works for no user whose goal it could be.', remedy: 'Call signed in.' },
});

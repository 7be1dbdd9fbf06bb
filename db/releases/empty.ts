// Tables that a fixture of a release leaves empty, each with the reason. A test refuses a table that is
// neither filled nor named here, and a named one that is filled.

const IN_MACHINES = 'Its rows are of virtual machines. The agents of a fixture are plain processes, so that it can be made where nothing virtualizes.';

export const EMPTY: Readonly<Record<string, string>> = {
  dev_box_sessions: IN_MACHINES,
  dev_boxes: IN_MACHINES,
  sandboxes: IN_MACHINES,
  wake_counts: IN_MACHINES,
  policy_network_positions: `${IN_MACHINES} Their proxies report what they refused.`,
  dunning_steps: 'A reminder is written days after the payment of a month has failed.',
  job_archives: 'Events of a job are archived 90 days after its end.',
  template_updates: 'An update is offered when a newer template than the one that an agent began with has been released.',
};

/**
 * Tables whose rows come and go with the work that they stand for: whether one is there at the moment of a
 * fixture says nothing.
 */
export const FLEETING: Readonly<Record<string, string>> = {
  run_reads: 'What a run has read, until its receipt names it.',
  open_workflows: 'A workflow that is under way, until the loop that looks after it has seen its end.',
  open_calls: 'A call that a process holds, until it has ended.',
  source_pushes: 'A pushed commit, until it is deployed.',
  call_contents: 'What a plain call took and gave, for as long as its account keeps it.',
  scored_contents: 'What a call took and gave, until the rules of its agent have scored it.',
  protocol_tasks: 'A task of A2A or MCP, for an hour after its end.',
  task_pushes: 'A push address, as long as its task.',
  push_messages: 'A push notification, until its address has taken it.',
  unreceipted_runs: 'A run that was lost with the process of its call, until its trace is exported.',
};

// Tables that a fixture of a release leaves empty, each with the reason. A test refuses a table that is neither filled nor named here, and a named one that is filled.

const IN_MACHINES = 'Its rows are of virtual machines. The agents of a fixture are plain processes, so that it can be made where nothing virtualizes.';
const A_MOMENT = 'A row is there for a moment only: until the work that it stands for is done.';

export const EMPTY: Readonly<Record<string, string>> = {
  dev_box_sessions: IN_MACHINES,
  dev_boxes: IN_MACHINES,
  sandboxes: IN_MACHINES,
  wake_counts: IN_MACHINES,
  policy_network_positions: `${IN_MACHINES} Their proxies report what they refused.`,
  open_calls: A_MOMENT,
  source_pushes: A_MOMENT,
  scored_contents: A_MOMENT,
  dunning_steps: 'A reminder is written days after the payment of a month has failed.',
  job_archives: 'Events of a job are archived 90 days after its end.',
  template_updates: 'An update is offered when a newer template than the one that an agent began with has been released.',
};

// What Temporal's UI shows of our namespace in a browser that has not been there: the columns of its list,
// and views beside those it has.

/**
 * Labels as the UI and the search attributes have them; at most two may be pinned. Ids are long: they come
 * last, after the columns that distinguish workflows.
 */
export const COLUMNS = [
  { label: 'Status', pinned: true },
  { label: 'SvcKind', pinned: true },
  { label: 'SvcAgent', pinned: false },
  { label: 'Start', pinned: false },
  { label: 'End', pinned: false },
  { label: 'Workflow ID', pinned: false },
  { label: 'SvcOwner', pinned: false },
] as const;

/** The same as in deploy/runbooks/saved-views.md, which has those too that need a name or an id. */
export const VIEWS = [
  { name: 'Waits', query: "SvcKind = 'wait' AND ExecutionStatus = 'Running'" },
  { name: 'Runs', query: "SvcKind = 'run' AND ExecutionStatus = 'Running'" },
  { name: 'Plans', query: "SvcKind = 'dag' AND ExecutionStatus = 'Running'" },
  { name: 'Deploys', query: "SvcKind = 'deploy' AND ExecutionStatus = 'Running'" },
  { name: 'Not well', query: "ExecutionStatus IN ('Failed', 'TimedOut', 'Terminated')" },
  { name: 'Started by a schedule', query: "SvcKind = 'schedule'" },
  { name: 'The calendar', query: "SvcKind = 'calendar'" },
  { name: 'Pinned to their code', query: "TemporalWorkflowVersioningBehavior = 'Pinned' AND ExecutionStatus = 'Running'" },
  { name: 'Of the platform', query: "SvcOwner = 'platform'" },
] as const;

// What "contents" are: for each table, which rows of an organization's agents are older than it keeps them,
// and what goes of them. Receipts, audit rows and what was decided stay. All of it is our own text; the
// bindings are :organization and :before.

export interface RetentionStep {
  table: string;
  /** Rows that belong together go together. */
  key: string;
  /** Keys at a time. */
  batch: number;
  /** `t` being the table. */
  where: string;
  /** Assignments: the rows stay without their contents. Absent: the rows go. */
  set?: string;
}

const agents = '(select agent_id from agents where owner_id = :organization)';
const REMOVED = `jsonb_build_object('code', t.error->'code', 'message', 'Older than its organization keeps contents')`;

export const RETENTION_STEPS: readonly RetentionStep[] = [
  { table: 'artifacts', key: 'artifact_id', batch: 500, where: `t.agent_id in ${agents} and t.created_at < :before` },
  {
    table: 'runs',
    key: 'run_id',
    batch: 500,
    where: `t.agent_id in ${agents} and t.ended_at < :before and t.args is not null`,
    set: 'args = null',
  },
  {
    table: 'jobs',
    key: 'job_id',
    batch: 500,
    where: `t.agent_id in ${agents} and t.ended_at < :before and t.events_state <> 'archived'
      and (t.events_state = 'kept' or t.input <> '{}' or t.output is not null)`,
    set: `events_state = 'removed', input = '{}', output = null, error = case when t.error is null then null else ${REMOVED} end`,
  },
  {
    table: 'job_events',
    key: 'job_id',
    batch: 20,
    where: `t.job_id in (select j.job_id from jobs j where j.agent_id in ${agents} and j.ended_at < :before and j.events_state = 'removed')`,
  },
  { table: 'spans', key: 'run_id', batch: 100, where: 't.owner_id = :organization and t.kept_at < :before' },
  { table: 'scored_contents', key: 'run_id', batch: 500, where: `t.agent_id in ${agents} and t.kept_at < :before` },
  { table: 'call_contents', key: 'run_id', batch: 500, where: `t.agent_id in ${agents} and t.ended_at < :before` },
  { table: 'run_scores', key: 'run_id', batch: 500, where: `t.agent_id in ${agents} and t.scored_at < :before` },
  { table: 'run_thumbs', key: 'run_id', batch: 500, where: `t.agent_id in ${agents} and t.at < :before and t.comment <> ''`, set: `comment = ''` },
  {
    table: 'approval_votes',
    key: 'vote_id',
    batch: 500,
    where: `t.reason <> '' and t.wait_id in (select w.wait_id from waits w where w.agent_id in ${agents} and w.resolved_at < :before)`,
    set: `reason = ''`,
  },
  {
    table: 'waits',
    key: 'wait_id',
    batch: 500,
    where: `t.agent_id in ${agents} and t.resolved_at < :before and (t.prompt <> '' or t.request::text <> '{}' or t.resolution is not null)`,
    set: `prompt = '', request = '{}', resolution = null`,
  },
  {
    table: 'subagent_runs',
    key: 'grant_id',
    batch: 500,
    where: `t.agent_name in (select name from agents where owner_id = :organization) and t.started_at < :before and (t.args is not null or t.reported is not null)`,
    set: 'args = null, reported = null',
  },
  {
    table: 'patches',
    key: 'patch_id',
    batch: 500,
    where: `t.run_id in (select run_id from runs where agent_id in ${agents}) and t.settled_at < :before`,
  },
  { table: 'meta_runs', key: 'meta_run_id', batch: 500, where: `t.agent_id in ${agents} and t.ended_at < :before` },
  {
    table: 'mail_messages',
    key: 'mail_id',
    batch: 500,
    where: `t.mailbox_id in (select mailbox_id from mailboxes where agent_id in ${agents}) and t.created_at < :before
      and t.state not in ('accepted', 'queued') and (t.sha256 is not null or t.body is not null)`,
    set: 'sha256 = null, body = null',
  },
];

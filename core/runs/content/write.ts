// The writer of call_contents: many calls in one statement, beside the calls and never before their answers.
// What the caller's account does not keep is left out in the statement itself.
import type { Knex } from 'knex';
import { batch, memoizeByKey } from '../../kernel/batch.ts';
import { storable } from '../../kernel/storable.ts';

export interface Content {
  run_id: string;
  agent_id: string;
  deploy_id: string;
  skill: string;
  user_id: string | null;
  request_id: string;
  state: 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** JSON text. */
  input: string | null;
  output: string | null;
  streamed: string | null;
  progress: object | null;
  error: object | null;
  left_out: boolean;
  started_at: Date;
  ended_at: Date | null;
}

/** What an agent said, as it is stored. */
export function storableObject(value: object): object {
  // Safe: storable() keeps objects objects.
  return storable(value) as object;
}

/** Of one statement, and of all that wait for theirs: what does not fit is not kept. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

const sizeOf = ({ input, output, streamed }: Content): number => 1_000 + (input?.length ?? 0) + (output?.length ?? 0) + (streamed?.length ?? 0);

/** False: it is not kept, since too many wait. */
export const writeContent = memoizeByKey((db: Knex) => {
  let waiting = 0;
  const write = batch<Content, undefined>(
    async (contents) => {
      await insert(db, contents);
      return contents.map(() => undefined);
    },
    { maxConcurrent: 1, maxSize: 200, maxWeight: MAX_BATCH_BYTES, weigh: sizeOf },
  );
  return async (content: Content): Promise<boolean> => {
    const size = sizeOf(content);
    if (waiting + size > MAX_WAITING_BYTES) return false;
    waiting += size;
    await write(content).finally(() => (waiting -= size));
    return true;
  };
});

async function insert(db: Knex, contents: readonly Content[]): Promise<void> {
  // Of two about one run in a statement the last one counts.
  const rows = [...new Map(contents.map((content) => [content.run_id, content])).values()];
  await db.raw(
    `insert into call_contents as c (run_id, agent_id, deploy_id, skill, user_id, request_id, state, input, output, streamed, progress, error, left_out,
       started_at, ended_at, content_until, expires_at, log_until)
     select r.run_id, r.agent_id, r.deploy_id, r.skill, u.user_id, r.request_id, r.state,
       case when kept.days > 0 then r.input end, case when kept.days > 0 then r.output end, case when kept.days > 0 then r.streamed end,
       case when kept.days > 0 then r.progress end, r.error, r.left_out, r.started_at, r.ended_at,
       now() + kept.days * interval '1 day', now() + greatest(kept.days, case when r.error is null then 0 else o.keep_content_days end) * interval '1 day',
       case when r.state = 'failed' and o.keep_content_days > 0 then now() + o.keep_content_days * interval '1 day' end
     from json_to_recordset(:rows::json) as r (run_id text, agent_id text, deploy_id text, skill text, user_id text, request_id text, state text, input text,
       output text, streamed text, progress jsonb, error jsonb, left_out boolean, started_at timestamptz, ended_at timestamptz)
     join agents a using (agent_id) join users o on o.user_id = a.owner_id
     left join users u on u.user_id = r.user_id
     cross join lateral (select coalesce(u.keep_content_days, 0) as days) kept
     where kept.days > 0 or (r.error is not null and o.keep_content_days > 0)
     on conflict (run_id) do update set state = excluded.state, input = excluded.input, output = excluded.output, streamed = excluded.streamed,
       progress = excluded.progress, error = excluded.error, left_out = excluded.left_out, ended_at = excluded.ended_at,
       content_until = excluded.content_until, expires_at = excluded.expires_at, log_until = excluded.log_until
     where c.state = 'running'`,
    { rows: JSON.stringify(rows) },
  );
}

/** A call that became a durable run: its job has its content. */
export async function dropRunning(db: Knex, runId: string): Promise<void> {
  await db('call_contents').where({ run_id: runId, state: 'running' }).delete();
}

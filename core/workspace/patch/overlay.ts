// A workspace as a grant's holder sees it: the files, and over them what its run, and the runs that led to
// it, have staged.
import type { Ctx } from '../../kernel/ctx.ts';

export interface SeenFile {
  path: string;
  sha256: string;
  size_bytes: number;
  mime_type: string;
  file_type: string;
  updated_at: Date;
  staged: boolean;
}

/**
 * Runs nearer to the reader win. Runs in between that have no row of their own staged nothing, but end the
 * line upwards.
 */
const staged = `line(run_id, distance) as (
    select * from (values (cast(:run as text), 0), (cast(:parent as text), 1)) v(run_id, distance) where run_id is not null
    union all
    select r.parent_run_id, l.distance + 1 from line l join runs r on r.run_id = l.run_id
    where l.distance between 1 and 16 and r.parent_run_id is not null
  ),
  staged as (
    select distinct on (p.path) p.path, p.operation, p.sha256, p.size_bytes, p.mime_type, p.file_type, p.created_at as updated_at
    from line l join patches p on p.run_id = l.run_id and p.state = 'staged'
    where p.bucket = :bucket and p.path >= :from and starts_with(p.path, :prefix)
    order by p.path, l.distance
  )`;

/** What is there, by path, from `from` on; unfiltered: patterns are the caller's. */
export async function seenFiles(ctx: Ctx, i: { bucket: string; from: string; prefix: string; limit: number }): Promise<SeenFile[]> {
  const columns = 'path, sha256, size_bytes, mime_type, file_type, updated_at';
  const { rows } = await ctx.db.raw<{ rows: SeenFile[] }>(
    `with recursive ${staged}
     select * from (
       (select ${columns}, false as staged from files f
        where f.bucket = :bucket and f.path >= :from and starts_with(f.path, :prefix) and not exists (select 1 from staged s where s.path = f.path)
        order by path limit :limit)
       union all
       (select ${columns}, true from staged where operation = 'write' order by path limit :limit)
     ) seen order by path collate "C" limit :limit`,
    { ...reader(ctx), ...i },
  );
  return rows;
}

/** One path; undefined when there is nothing, or a staged deletion. */
export async function seenFile(ctx: Ctx, bucket: string, path: string): Promise<SeenFile | undefined> {
  const [file] = await seenFiles(ctx, { bucket, from: path, prefix: path, limit: 1 });
  return file?.path === path ? file : undefined;
}

function reader({ actor }: Ctx): { run: string | null; parent: string | null } {
  return actor.kind === 'run' ? { run: actor.run_id, parent: actor.parent_run_id } : { run: null, parent: null };
}

// Who may fetch an artifact: whoever holds its link; the user the run worked for; the agent's owner; the run itself and the one that called it.
import type { Knex } from 'knex';
import type { Ctx } from '../../kernel/ctx.ts';
import { Gone, NotFound } from '../../kernel/errors.ts';
import { type FileView, viewOf } from '../../workspace/file/present.ts';
import { checkLink } from './link.ts';

type Condition = (query: Knex.QueryBuilder) => void;

/** `path` is `<run_id>/<name>`. `mayRead`: who may without a link; default: whoever acts. */
export async function readArtifact(ctx: Ctx, i: { name: string; path: string; token?: string | undefined; mayRead?: Condition }): Promise<FileView> {
  const [run_id = '', name = '', ...rest] = i.path.split('/');
  if (rest.length > 0) throw noSuchArtifact(i.path);
  const link = i.token === undefined ? undefined : await checkLink(ctx, { run_id, name }, i.token);
  const query = ctx.db('artifacts as f').join('agents as a', 'a.agent_id', 'f.agent_id').where({ 'a.name': i.name, 'f.run_id': run_id, 'f.name': name });
  if (link !== 'ok') query.where((visible) => (i.mayRead ?? ((open) => visibleTo(ctx, open)))(visible));
  const row = await query.first('f.sha256', 'f.size_bytes', 'f.mime_type', 'f.created_at');
  if (row) return viewOf(ctx, { path: name, sha256: row.sha256, size_bytes: row.size_bytes, mime_type: row.mime_type, updated_at: row.created_at });
  if (link === 'expired') throw new Gone('link_expired', 'This link has ended: sign in to fetch the file, or ask the agent again');
  throw noSuchArtifact(i.path);
}

function visibleTo({ actor, db }: Ctx, query: Knex.QueryBuilder): void {
  if (actor.kind === 'user') query.where('f.user_id', actor.user_id).orWhere('a.owner_id', actor.user_id);
  else if (actor.kind === 'run')
    query.where('f.run_id', actor.run_id).orWhereIn('f.run_id', db('runs').where({ parent_run_id: actor.run_id }).select('run_id'));
  else query.whereRaw('false');
}

function noSuchArtifact(path: string): NotFound {
  return new NotFound('artifact_not_found', `There is no file ${path} of this agent that you can see`);
}

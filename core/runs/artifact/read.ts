// Who may fetch an artifact: the holder of its link; the user the run worked for; the agent's owner; the run
// itself and the run that called it.
import type { Knex } from 'knex';
import type { Ctx } from '../../kernel/ctx.ts';
import { Gone, NotFound } from '../../kernel/errors.ts';
import { whereMayOrNone } from '../../kernel/policy.ts';
import { type FileView, viewOf } from '../../workspace/file/present.ts';
import { checkLink } from './link.ts';

type Condition = (query: Knex.QueryBuilder) => void;

/** `path` is `<run_id>/<name>`. `mayRead`: who may without a link; default: the actor, by the rules. */
export async function readArtifact(ctx: Ctx, i: { name: string; path: string; token?: string | undefined; mayRead?: Condition }): Promise<FileView> {
  const [run_id = '', name = '', ...rest] = i.path.split('/');
  if (rest.length > 0) throw noSuchArtifact(i.path);
  const link = i.token === undefined ? undefined : await checkLink(ctx, { run_id, name }, i.token);
  const query = ctx.db('artifacts as f').join('agents as a', 'a.agent_id', 'f.agent_id').where({ 'a.name': i.name, 'f.run_id': run_id, 'f.name': name });
  if (link !== 'ok') query.where(i.mayRead ?? whereMayOrNone(ctx.actor, 'artifact.read', columns));
  const row = await query.first('f.sha256', 'f.size_bytes', 'f.mime_type', 'f.created_at');
  if (row) return viewOf(ctx, { path: name, sha256: row.sha256, size_bytes: row.size_bytes, mime_type: row.mime_type, updated_at: row.created_at });
  if (link === 'expired') throw new Gone('link_expired', 'This link has ended: sign in to fetch the file, or ask the agent again');
  throw noSuchArtifact(i.path);
}

/**
 * Whose the rows are: of the agent's owner, of the user that the run worked for, of the run and of the one
 * that called it.
 */
const columns = { owner: 'a.owner_id', caller: 'f.user_id', run: 'f.run_id', calling_run: '(select r.parent_run_id from runs r where r.run_id = f.run_id)' };

function noSuchArtifact(path: string): NotFound {
  return new NotFound('artifact_not_found', `There is no file ${path} of this agent that you can see`);
}

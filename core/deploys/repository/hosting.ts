// What source hosting answers, in the words of refusals.
import { ScmError } from '#drivers/scm/names.ts';
import { BadGateway, Conflict, DomainError, NotFound, Unavailable } from '../../kernel/errors.ts';

/** @throws NotFound commit_not_found, Conflict source_changed, Unavailable source_hosting_down */
export async function fromHosting<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown): never => {
    if (error instanceof DomainError) throw error;
    if (error instanceof ScmError && error.code === 'scm_commit_missing')
      throw new NotFound('commit_not_found', 'The repository has no such commit: push it first, or name another');
    if (error instanceof ScmError && error.code === 'scm_moved') throw new Conflict('source_changed', 'The branch has newer commits: read it again, then save');
    throw new Unavailable('source_hosting_down', 'Source hosting does not answer: try again in a moment', { retry_after_seconds: 5 });
  });
}

/** For routes that answer 502. @throws BadGateway source_hosting_failed */
export async function throughHosting<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown): never => {
    if (error instanceof DomainError) throw error;
    throw new BadGateway('source_hosting_failed', 'Source hosting does not answer: nothing was changed, try again in a moment');
  });
}

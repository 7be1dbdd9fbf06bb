// What may name a repository, a branch and a commit; all three become arguments and paths.
import type { CodesAmong } from '#contract/errors/index.ts';

export class ScmError extends Error {
  readonly code: CodesAmong<'scm_name_invalid' | 'scm_commit_missing' | 'scm_file_unsupported' | 'scm_moved' | 'scm_failed'>;
  constructor(code: ScmError['code'], message: string) {
    super(message);
    this.name = 'ScmError';
    this.code = code;
  }
}

/**
 * `owner/agent`: one to four segments that start with a letter or digit. @throws ScmError scm_name_invalid
 */
export function repositorySegments(repository: string): string[] {
  const segments = repository.split('/');
  const sound = segments.length <= 4 && segments.every((s) => /^[a-z0-9][a-z0-9_-]{0,127}$/.test(s));
  if (!sound) throw invalid('repository', repository);
  return segments;
}

/** @throws ScmError scm_name_invalid */
export function branchRef(branch: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(branch)) throw invalid('branch', branch);
  return `refs/heads/${branch}`;
}

/** @throws ScmError scm_name_invalid */
export function commitId(commit: string): string {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) throw invalid('commit', commit);
  return commit;
}

function invalid(what: string, value: string): ScmError {
  return new ScmError('scm_name_invalid', `${JSON.stringify(value.slice(0, 80))} cannot name a ${what}`);
}

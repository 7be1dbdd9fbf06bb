// Why an uploaded project is refused: one stable code each, and what to do about it.
import { BadRequest, PayloadTooLarge } from '../../kernel/errors.ts';
import type { SourceLimits } from './limits.ts';

const advice = {
  source_not_gzip: 'The upload is not gzip: send a gzipped tar (tar -czf project.tgz -C project .)',
  source_truncated: 'The upload ends too early: send it again',
  source_corrupt: 'The upload is damaged: make the archive again and send it',
  source_trailing_data: 'Data follow the end of the archive: send one gzipped tar and nothing else',
  source_empty: 'The upload holds no files: send the project folder with its svc.yaml',
  source_link: 'Links are not accepted: replace it by the file it points at',
  source_special_file: 'Devices, pipes and sockets are not accepted: leave it out',
  source_unsupported_entry: 'This kind of archive entry is not accepted: make the archive with plain tar, without sparse files',
  source_submodule: 'Submodules are not accepted: add the files themselves',
  source_path_escape: 'Paths must stay inside the project: no "..", no absolute paths, no drive letters',
  source_bad_path: 'This name cannot be used: take out control characters and backslashes, keep names under 256 bytes, paths under 1024, in UTF-8',
  source_too_deep: 'Folders are nested too deeply: flatten the project or leave this part out',
  source_duplicate_path: 'Two entries have the same path (names that differ only by case or accents count as the same): keep one of them',
  source_git_folder: 'Leave the .git folder out of the archive: the platform keeps its own history',
  source_too_many_files: 'The project has too many files: leave out dependencies and build output',
  source_too_large_unpacked: 'The project is too large unpacked: leave out dependencies, data and build output',
  source_bomb: 'The archive unpacks to far more than it is: leave out files of repeated content',
} as const;

export type SourceRefusal = keyof typeof advice;

/** `path` is shown shortened and with control characters made visible. */
export function refuse(code: SourceRefusal, path?: string, details: Record<string, unknown> = {}): BadRequest {
  const shown = path === undefined ? undefined : JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path).toWellFormed();
  return new BadRequest(code, shown === undefined ? advice[code] : `${shown}: ${advice[code]}`, details);
}

export function sourceTooLarge(limits: SourceLimits): PayloadTooLarge {
  const limit = `${Math.floor(limits.compressedBytes / 1024 / 1024)} MiB`;
  return new PayloadTooLarge('source_too_large', `The upload is over ${limit}: leave out dependencies, data and build output`, {
    limit_bytes: limits.compressedBytes,
  });
}

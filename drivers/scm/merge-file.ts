// Three versions of one text become one, by git itself.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gitEnvironment } from './git-process.ts';
import { ScmError } from './names.ts';

export interface MergedText {
  text: Buffer;
  /**
   * Places that both sides changed, marked in the text by `<<<<<<<`, `=======` and `>>>>>>>`; git counts up
   * to 127.
   */
  conflicts: number;
}

/** Longer than any merge of the texts that are merged here takes. */
const timeoutMs = 20_000;
const maxOutputBytes = 16 * 1024 * 1024;
/** Of git: from here on it is an error, not a count. */
const mostConflicts = 127;

/** `labels` stand beside the marks. `scratch` is a folder of this process. @throws ScmError scm_failed */
export async function mergeText(
  scratch: string,
  texts: { base: Uint8Array; ours: Uint8Array; theirs: Uint8Array },
  labels: { ours: string; theirs: string },
): Promise<MergedText> {
  const folder = await mkdtemp(join(scratch, 'merge-'));
  try {
    for (const side of ['base', 'ours', 'theirs'] as const) await writeFile(join(folder, side), texts[side]);
    return await mergeFile(folder, labels);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function mergeFile(folder: string, labels: { ours: string; theirs: string }): Promise<MergedText> {
  const args = ['merge-file', '-p', '-q', '-L', labels.ours, '-L', 'base', '-L', labels.theirs, 'ours', 'base', 'theirs'];
  // A repository above the folder must not configure the merge.
  const env = { ...gitEnvironment, GIT_CEILING_DIRECTORIES: dirname(folder) };
  return new Promise((resolve, reject) => {
    execFile('git', args, { cwd: folder, env, encoding: 'buffer', timeout: timeoutMs, maxBuffer: maxOutputBytes }, (error, text, stderr) => {
      if (!error) return resolve({ text, conflicts: 0 });
      if (typeof error.code === 'number' && error.code <= mostConflicts && !error.killed) return resolve({ text, conflicts: error.code });
      reject(new ScmError('scm_failed', `git merge-file failed (${error.code ?? error.signal ?? 'killed'}): ${stderr.toString().trim().slice(0, 200)}`));
    });
  });
}

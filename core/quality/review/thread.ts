// The thread in which rules read a project; apart.ts sends it one at a time.
import { answerTasks } from '../../kernel/answer-tasks.ts';
import { openAdvisories } from './advisories.ts';
import type { ReviewTask } from './apart.ts';
import { judgeProject } from './judge.ts';
import { sourceFiles } from './project.ts';

answerTasks(async ({ files, advisoriesFile, ...rest }: ReviewTask) => {
  const advisories = advisoriesFile === undefined ? undefined : await openAdvisories(advisoriesFile);
  return { verdict: await judgeProject({ ...rest, files: sourceFiles(files), paths: files.map(({ path }) => path), advisories }) };
});

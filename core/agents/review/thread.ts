// The thread in which rules read a project; apart.ts sends it one at a time.
import { parentPort } from 'node:worker_threads';
import { openAdvisories } from './advisories.ts';
import type { Answer, Task } from './apart.ts';
import { judge } from './judge.ts';
import { sourceFiles } from './project.ts';

parentPort?.on('message', (task: Task) => {
  void answer(task).then((found) => parentPort?.postMessage(found));
});

async function answer({ files, advisoriesFile, ...rest }: Task): Promise<Answer> {
  try {
    const advisories = advisoriesFile === undefined ? undefined : await openAdvisories(advisoriesFile);
    return { verdict: await judge({ ...rest, files: sourceFiles(files), paths: files.map(({ path }) => path), advisories }) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'a rule failed' };
  }
}

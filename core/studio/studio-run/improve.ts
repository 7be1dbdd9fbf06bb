// A language model writes: the first time from the brief, then from what checks, review, samples or challenge
// refused. Each time is a commit.
import type { StudioIterationsRow } from '#db/tables.ts';
import type { ModelMessage } from '#drivers/llm/port.ts';
import { type ProjectFile, textOf } from '../../agents/source/pack.ts';
import { storableJson, storableText } from '../../kernel/storable.ts';
import type { StudioStep } from './advance.ts';
import { endStudioRun } from './end.ts';
import { askStudioModel } from './model/ask.ts';
import { DATA, GUIDE } from './model/guide.ts';
import { applyCalls, WRITING_TOOLS } from './model/tools.ts';
import { briefIn, newestIteration } from './row.ts';
import { filesOf, keepIteration } from './source.ts';
import { move } from './step.ts';

const MAX_SHOWN = 160_000;
const FILE_SHOWN = /\.(?:ts|mts|js|mjs|json|md|yaml|yml|txt|html|css)$/;

export const improve: StudioStep = async (ctx, run, signal) => {
  const last = await newestIteration(ctx.db, run.run_id);
  const files = await filesOf(ctx, run, last);
  const answer = await askStudioModel(ctx, run, { messages: messagesFor(briefIn(run), last, files), tools: WRITING_TOOLS, signal });
  const { files: after, changed, trials, refused } = applyCalls(files, answer.toolCalls);
  const number = last.number + 1;
  const about = changed.length === 0 ? 'Nothing was written' : `Write ${changed.join(', ')}`;
  await keepIteration(ctx, run, { number, files: after, written_by: 'model', message: `${about} (iteration ${number})` });
  if (refused.length > 0)
    await ctx
      .db('studio_iterations')
      .where({ run_id: run.run_id, number })
      .update({ message: storableText(`Not done: ${refused.join('; ').slice(0, 1_000)}`) });
  const set = trials === undefined ? {} : { trials: storableJson(trials) };
  if (changed.length > 0) {
    await move(ctx.db, run, 'evaluating', { actor: 'editor', status: 'done', message: about, iteration: number, refused: refused.slice(0, 5) }, set);
    return 'again';
  }
  // The same source would be refused again for the same reason.
  await endStudioRun(ctx, run.job_id ?? '', {
    code: 'studio_nothing_written',
    message: `The language model wrote nothing that it may write${refused.length > 0 ? `: ${refused.join('; ').slice(0, 500)}` : ''}`,
  });
  return 'ended';
};

const fenced = (text: string): string => `----------\n${text}\n----------`;

function messagesFor(brief: ReturnType<typeof briefIn>, last: StudioIterationsRow, files: readonly ProjectFile[]): ModelMessage[] {
  const { name, goal, inputs, integrations } = brief;
  const wanted = fenced(JSON.stringify({ name, goal, inputs, secrets: integrations }, null, 1));
  const task = last.message === null ? 'Make the project do what the brief says.' : `It was refused. Fix it:\n${fenced(last.message)}`;
  return [
    { role: 'system', text: `${GUIDE}\n${DATA}` },
    { role: 'user', text: `The brief:\n${wanted}\n\nThe project:\n${shown(files)}\n\n${task}` },
  ];
}

/** Whole files, the small ones first, as many as fit. */
export function shown(files: readonly ProjectFile[]): string {
  let left = MAX_SHOWN;
  const texts = files
    .filter(({ path }) => FILE_SHOWN.test(path) && !/(?:^|\/)(?:node_modules|vendor)\//.test(path))
    .map((file) => `File ${file.path}:\n${fenced(textOf(file))}`)
    .toSorted((a, b) => a.length - b.length);
  return texts.filter((text) => (left -= text.length) >= 0).join('\n\n');
}

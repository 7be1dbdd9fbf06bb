// Where the review is strict, a language model compares the source with the brief. Its findings never refuse
// the agent for good: critical ones are fixed while there are iterations, and then shown.
import { z } from 'zod';
import type { StudioRunsRow } from '#db/tables.ts';
import type { ModelTool } from '#drivers/llm/port.ts';
import type { ProjectFile } from '../../agents/source/pack.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { storableText } from '../../kernel/storable.ts';
import { shown } from './improve.ts';
import { askStudioModel } from './model/ask.ts';
import { DATA } from './model/guide.ts';
import { briefIn, type Finding, mayMend } from './row.ts';

const MAX_FINDINGS = 10;
const Report = z.object({
  findings: z
    .array(
      z.object({ severity: z.enum(['critical', 'warning', 'info']), path: z.string().max(200).nullable().default(null), title: z.string().min(1).max(300) }),
    )
    .max(MAX_FINDINGS),
});

const REPORT: ModelTool = {
  name: 'report',
  description: 'What is wrong with the source; an empty list where nothing is.',
  input: z.toJSONSchema(Report, { io: 'input' }),
};
const TASK = `You review the source of an agent against its brief. Report what is wrong: a part of the goal that is not done, results that are made up instead of computed,
input that is not bounded, secrets that are logged or returned, hosts that the brief does not name, tests that cannot fail. critical: it must not be deployed so.`;

export async function reviewByModel(ctx: Ctx, run: StudioRunsRow, files: readonly ProjectFile[], signal: AbortSignal): Promise<Finding[]> {
  const { goal, inputs } = briefIn(run);
  const answer = await askStudioModel(ctx, run, {
    tools: [REPORT],
    signal,
    messages: [
      { role: 'system', text: `${TASK}\n${DATA}` },
      { role: 'user', text: `The brief:\n----------\n${JSON.stringify({ goal, inputs })}\n----------\n\n${shown(files)}` },
    ],
  });
  const report = Report.safeParse(answer.toolCalls.find(({ name }) => name === 'report')?.input);
  if (!report.success) return [{ severity: 'info', rule: 'model-review', path: null, title: 'The language model gave no review that can be read' }];
  const mendable = await mayMend(ctx.db, run);
  return report.data.findings.map(({ severity, path, title }) => ({
    severity: severity === 'critical' && !mendable ? 'warning' : severity,
    rule: 'model-review',
    path: path === null ? null : storableText(path),
    title: storableText(title),
  }));
}

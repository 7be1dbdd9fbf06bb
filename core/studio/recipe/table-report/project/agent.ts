// Reads a table, sums it by group, draws the sums and reports on every column.
import { Agent, type RunContext, skill, SkillInputError, WorkspaceAccess, z } from '@svc/sdk';
import { svgOf } from './chart.ts';
import { groupsOf, markdownOf, type Settings, summaryOf } from './report.ts';
import { about, settings } from './settings.ts';
import { readTable } from './table.ts';

const MAX_BYTES = 5_000_000;
const Source = {
  csv: z.string().max(MAX_BYTES).default('').describe('The table itself: commas, semicolons, tabs or bars between cells; names in the first line.'),
  file: z.string().max(1024).default('').describe('A file of your workspace instead.'),
};
const Summary = z.object({
  name: z.string(),
  kind: z.enum(['number', 'text']),
  missing: z.int().describe('Cells that hold nothing.'),
  sum: z.number().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  mean: z.number().optional(),
  median: z.number().optional(),
  top: z.array(z.object({ value: z.string(), count: z.int() })).optional(),
});
const Groups = z.object({
  by: z.string(),
  values: z.array(z.string()),
  groups: z.array(z.object({ name: z.string(), rows: z.int(), sums: z.array(z.number()) })),
  more: z.int().describe('Groups beyond the largest.'),
});

export class TableReport extends Agent {
  name = about.name;
  description = about.description;
  version = about.version;
  override requiredSecrets: readonly string[] = about.secrets;
  override outputModes = ['application/json', 'text/event-stream', 'image/svg+xml', 'text/markdown'];
  override concurrency = 2;
  override resources = { cpu: '500m', memory: '512Mi', maxRuntimeSeconds: 120 };
  override workspaceAccess = WorkspaceAccess.dynamic({ maxFiles: 1, maxTotalSizeBytes: MAX_BYTES });
  readonly settings: Settings = settings;

  report = skill(
    {
      description: 'Sums a table by group, draws the sums as a chart and writes a report; both are artifacts.',
      tags: ['data', 'chart'],
      stream: true,
      timeoutSeconds: 60,
      input: z.object({
        ...Source,
        group_by: z.string().max(200).default('').describe('Column to sum by; default: that of the settings, else the first of text.'),
        values: z.array(z.string().max(200)).max(6).default([]).describe('Columns to sum; default: those of the settings, else the numbers.'),
      }),
      output: z.object({ rows: z.int(), columns: z.array(Summary), sums: Groups, artifacts: z.array(z.string()) }),
    },
    async (ctx, { group_by, values, ...source }) => {
      const { title, ...preset } = this.settings;
      const table = readTable(await textOf(ctx, source));
      await ctx.emitProgress(`read ${table.rows} rows`, { progress: 1, total: 3 });
      const sums = groupsOf(table, { group_by: group_by || preset.group_by, values: values.length > 0 ? values : preset.values });
      const columns = table.columns.map(summaryOf);
      ctx.checkCancelled();
      const chart = await ctx.writeArtifact('chart.svg', svgOf(title, sums), 'image/svg+xml');
      await ctx.emitArtifact(chart);
      await ctx.emitProgress(`drew ${sums.groups.length} groups`, { progress: 2, total: 3 });
      const report = await ctx.writeArtifact('report.md', markdownOf(title, table.rows, columns, sums), 'text/markdown');
      await ctx.emitArtifact(report);
      await ctx.emitProgress('done', { progress: 3, total: 3 });
      return { rows: table.rows, columns, sums, artifacts: [chart.name, report.name] };
    },
  );

  profile = skill(
    {
      description: 'Says what is in a table, column by column. Nothing is drawn.',
      tags: ['data'],
      readOnly: true,
      idempotent: true,
      input: z.object(Source),
      output: z.object({ rows: z.int(), columns: z.array(Summary) }),
    },
    async (ctx, source) => {
      const table = readTable(await textOf(ctx, source));
      return { rows: table.rows, columns: table.columns.map(summaryOf) };
    },
  );
}

/** What the caller gave, or what they let read: under the grant they passed on, or one asked for now. */
async function textOf({ workspace }: RunContext, { csv, file }: { csv: string; file: string }): Promise<string> {
  if ((csv === '') === (file === '')) throw new SkillInputError('Give either csv, the table itself, or file, its path in your workspace.');
  if (csv !== '') return csv;
  const view = await (workspace.grant
    ? workspace.view()
    : workspace.requestAccess([file], { mode: 'read_only', reason: `to read the table ${file.slice(0, 200)}` }));
  const bytes = await view.read(file);
  if (bytes.byteLength > MAX_BYTES) throw new SkillInputError(`${file} has more than ${MAX_BYTES} bytes: give a smaller table.`);
  return new TextDecoder().decode(bytes);
}

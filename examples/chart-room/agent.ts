import { Agent, skill, SkillInputError, WorkspaceAccess, z, type RunContext } from '@svc/sdk';
import { svgOf } from './chart.ts';
import { reportOf } from './report.ts';
import { summaryOf } from './statistics.ts';
import { readTable, type Table } from './table.ts';

const Source = {
  csv: z.string().max(2_000_000).default('').describe('The table itself: commas, semicolons, tabs or bars; names in the first line.'),
  file: z.string().max(1024).default('').describe("A file of the caller's workspace instead."),
};
type Source = { csv: string; file: string };

const Cleaning = z.object({ blank_rows: z.int(), repeated_rows: z.int(), missing_cells: z.int() });
const Summary = z.object({
  name: z.string(),
  kind: z.enum(['number', 'date', 'text']),
  count: z.int(),
  missing: z.int(),
  min: z.number().optional(),
  max: z.number().optional(),
  mean: z.number().optional(),
  median: z.number().optional(),
  deviation: z.number().optional(),
  outliers: z.array(z.number()).optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  top: z.array(z.object({ value: z.string(), count: z.int() })).optional(),
});
const Profile = z.object({ rows: z.int(), cleaning: Cleaning, columns: z.array(Summary) });

export class ChartRoom extends Agent {
  name = 'chart-room';
  description = 'Cleans a table, says what is in it, and draws it; needs no model and no key.';
  version = '0.1.0';
  inputModes = ['application/json', 'text/csv'];
  outputModes = ['application/json', 'text/event-stream', 'image/svg+xml', 'text/markdown'];
  concurrency = 4;
  resources = { cpu: '500m', memory: '256Mi', maxRuntimeSeconds: 120 };
  workspaceAccess = WorkspaceAccess.dynamic({ maxFiles: 1, maxTotalSizeBytes: 2_000_000 });

  profile = skill(
    {
      description: 'Says what is in a table: kinds of columns, ranges, averages, outliers, and what had to be cleaned.',
      tags: ['data', 'statistics'],
      idempotent: true,
      input: z.object(Source),
      output: Profile,
    },
    async (ctx, source) => profileOf(readTable(await textOf(ctx, source))),
  );

  draw = skill(
    {
      description: 'Draws columns of a table over another one, and reports on all of them; the chart and the report are artifacts.',
      tags: ['data', 'chart'],
      stream: true,
      timeoutSeconds: 60,
      input: z.object({
        ...Source,
        title: z.string().max(120).default('What the table shows'),
        x: z.string().max(200).default('').describe('Column to draw over; default: the first that is no number.'),
        y: z.array(z.string().max(200)).max(6).default([]).describe('Columns to draw; default: the numbers.'),
      }),
      output: Profile.extend({ drawn: z.object({ x: z.string(), y: z.array(z.string()) }), artifacts: z.array(z.string()) }),
    },
    async (ctx, { title, x, y, ...source }) => {
      await ctx.emitProgress('reading the table', { progress: 0, total: 3 });
      const table = readTable(await textOf(ctx, source));
      const profile = profileOf(table);
      const { repeated_rows, missing_cells } = profile.cleaning;
      await ctx.emitProgress(`${table.rows} rows; ${repeated_rows} repeated ones dropped, ${missing_cells} cells are empty`, { progress: 1, total: 3 });
      const chosen = choose(table, x, y);
      ctx.checkCancelled();
      const chart = await ctx.writeArtifact('chart.svg', svgOf({ title, ...chosen }), 'image/svg+xml');
      await ctx.emitArtifact(chart);
      await ctx.emitProgress(`drew ${chosen.ys.map(({ name }) => name).join(', ')} over ${chosen.x.name}`, { progress: 2, total: 3 });
      const report = await ctx.writeArtifact('report.md', reportOf(title, profile.rows, profile.cleaning, profile.columns), 'text/markdown');
      await ctx.emitArtifact(report);
      await ctx.emitProgress('done', { progress: 3, total: 3 });
      return { ...profile, drawn: { x: chosen.x.name, y: chosen.ys.map(({ name }) => name) }, artifacts: [chart.name, report.name] };
    },
  );
}

/** What the caller gave, or what they let read: under the grant they passed on, or one asked for now. */
async function textOf(ctx: RunContext, { csv, file }: Source): Promise<string> {
  if ((csv === '') === (file === '')) throw new SkillInputError('give either csv, the table itself, or file, its path in your workspace');
  if (csv !== '') return csv;
  const { workspace } = ctx;
  const view = await (workspace.grant ? workspace.view() : workspace.requestAccess([file], { mode: 'read_only', reason: `to read the table ${file}` }));
  return new TextDecoder().decode(await view.read(file));
}

function profileOf(table: Table): z.infer<typeof Profile> {
  return { rows: table.rows, cleaning: table.cleaning, columns: table.columns.map(summaryOf) };
}

function choose({ columns }: Table, x: string, y: readonly string[]) {
  const named = (name: string) => {
    const namedColumn = columns.find((column) => column.name === name);
    if (!namedColumn) throw new SkillInputError(`there is no column "${name}"; there are: ${columns.map((column) => column.name).join(', ')}`);
    return namedColumn;
  };
  const [first] = columns;
  const over = x === '' ? (columns.find(({ kind }) => kind !== 'number') ?? first) : named(x);
  const ys = (y.length === 0 ? columns.filter((column) => column !== over).slice(0, 6) : y.map(named)).flatMap((column) =>
    column.kind === 'number' ? [column] : [],
  );
  if (!over || ys.length === 0) throw new SkillInputError('there is no column of numbers to draw; name others with x and y');
  return { x: over, ys };
}

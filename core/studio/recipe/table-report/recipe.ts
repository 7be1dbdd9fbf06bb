// table_report: a table becomes sums by group, a chart and a report.
import { z } from 'zod';
import { parsedInputs } from '../inputs.ts';
import { projectOf, secretSteps } from '../project.ts';
import type { Recipe } from '../recipe.ts';

const columnName = z.string().trim().min(1).max(200);
const inputs = z.object({
  title: z.string().trim().min(1).max(120).default('Report').describe('Of the chart and the report.'),
  group_by: columnName.optional().describe('Column whose values the rows are summed by; absent: the first of text.'),
  values: z.array(columnName).max(6).default([]).describe('Columns that are summed; empty: all of numbers.'),
});

export const tableReport: Recipe = {
  recipe: 'table_report',
  title: 'Table report',
  description: 'Reads a table (CSV), sums it by group, draws the sums and reports on every column.',
  words: ['csv', 'table', 'spreadsheet', 'chart', 'plot', 'columns', 'rows', 'graph', 'report', 'statistics', 'sums', 'totals', 'figures', 'sales', 'excel'],
  inputs,
  async write(_ctx, brief) {
    const { title, group_by, values } = parsedInputs(inputs, brief.inputs);
    const files = await projectOf({
      brief,
      folder: import.meta.dirname,
      className: 'TableReport',
      modules: ['report.ts', 'table.ts', 'chart.ts'],
      settingsFrom: 'report.ts',
      settings: { title, group_by: group_by ?? null, values },
      about: ['`report` sums a table by group and leaves `chart.svg` and `report.md` as artifacts, `profile` says what is in each column.'],
    });
    const numbers = values.length > 0 ? values : ['amount'];
    const header = [group_by ?? 'name', ...numbers];
    const csv = [header, ['sample', ...numbers.map(() => '1')]].map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\n');
    const expect = { type: 'object', properties: { rows: { const: 1 } }, required: ['rows', 'columns'] };
    return {
      files,
      trials: [
        { skill: 'profile', args: { csv }, expect },
        { skill: 'report', args: { csv }, expect: { ...expect, required: ['rows', 'sums', 'artifacts'] } },
      ],
      next: [...secretSteps(brief, 0), `Put a table into your workspace, then: svc call ${brief.name} report file=<path>`],
    };
  },
};

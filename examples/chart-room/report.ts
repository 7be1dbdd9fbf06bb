// What was found, as Markdown for people.
import type { Summary } from './statistics.ts';
import type { Cleaning } from './table.ts';

export function reportOf(title: string, rows: number, cleaning: Cleaning, columns: readonly Summary[]): string {
  const numbers = columns.filter(({ kind }) => kind === 'number');
  const others = columns.filter(({ kind }) => kind !== 'number');
  return [
    `# ${title}`,
    '',
    `${rows} rows, ${columns.length} columns. Cleaned away: ${cleaning.blank_rows} blank and ${cleaning.repeated_rows} repeated rows; ${cleaning.missing_cells} cells hold nothing.`,
    '',
    ...(numbers.length === 0
      ? []
      : [
          '| column | count | min | median | mean | max | deviation | outliers |',
          '|---|---:|---:|---:|---:|---:|---:|---|',
          ...numbers.map(
            (c) => `| ${cell(c.name)} | ${c.count} | ${c.min} | ${c.median} | ${c.mean} | ${c.max} | ${c.deviation} | ${c.outliers?.join(', ') || 'none'} |`,
          ),
          '',
        ]),
    ...others.map(
      (c) =>
        `- **${cell(c.name)}**: ${c.kind === 'date' ? `${c.from} to ${c.to}` : (c.top ?? []).map(({ value, count }) => `${cell(value)} (${count})`).join(', ')}`,
    ),
    '',
  ].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { TableReport } from './agent.ts';
import { MAX_ROWS, numberOf, readTable } from './table.ts';

class Sample extends TableReport {
  override settings = { title: 'Sales <2026>', group_by: null, values: [] };
}
const SALES = `region,revenue,cost
north,"1,200",800
south,300,(100)
north,n/a,20
,50,0
`;

test('reads what people export: separators, quotes, numbers, empty cells', () => {
  const table = readTable('\uFEFFa;b;a\n"x ""y""; z";€ 2;\n\n"two\nlines";(4);3 %\n');
  assert.deepEqual(
    table.columns.map(({ name, kind }) => [name, kind]),
    [
      ['a', 'text'],
      ['b', 'number'],
      ['a (2)', 'number'],
    ],
  );
  assert.deepEqual(
    [table.columns[0]?.cells, table.columns[1]?.numbers, table.columns[2]?.numbers],
    [
      ['x "y"; z', 'two\nlines'],
      [2, -4],
      [null, 3],
    ],
  );
  assert.deepEqual([numberOf('1e3'), numberOf('12a'), numberOf('')], [1000, null, null]);
});

test('sums by group, draws and reports', async () => {
  const agent = testAgent(Sample);
  const { result, artifacts } = await agent.invoke('report', { csv: SALES });
  assert.deepEqual(result.sums.groups, [
    { name: 'north', rows: 2, sums: [1200, 820] },
    { name: 'south', rows: 1, sums: [300, -100] },
    { name: '(nothing)', rows: 1, sums: [50, 0] },
  ]);
  const [svg = '', report = ''] = artifacts.map((ref) => new TextDecoder().decode(agent.artifact(ref)));
  assert.match(svg, /Sales &lt;2026&gt;/);
  assert.equal(svg.match(/<rect x=/g)?.length, 8, 'two of the legend, six bars');
  assert.match(report, /\| north \| 2 \| 1200 \| 820 \|/);
});

test('what a table says stays text in the picture and the report', async () => {
  const agent = testAgent(Sample);
  const { artifacts } = await agent.invoke('report', { csv: 'name,n\n"<script>|x</script>",1\n' });
  for (const ref of artifacts) assert.ok(!new TextDecoder().decode(agent.artifact(ref)).includes('<script>'));
});

test('profiles each column', async () => {
  const { result } = await testAgent(Sample).invoke('profile', { csv: SALES });
  assert.deepEqual(result.columns[1], { name: 'revenue', kind: 'number', missing: 1, sum: 1550, min: 50, max: 1200, mean: 516.666666667, median: 300 });
  assert.deepEqual(result.columns[0]?.top?.[0], { value: 'north', count: 2 });
});

test('says what is wrong with the arguments', async () => {
  const agent = testAgent(Sample);
  const refused = async (args: object, message: RegExp): Promise<void> =>
    await assert.rejects(agent.invoke('report', args), { code: 'skill_input_error', message });
  await refused({}, /either csv/);
  await refused({ csv: 'a,b\n' }, /no rows/);
  await refused({ csv: SALES, group_by: 'year' }, /there are: region, revenue, cost/);
  await refused({ csv: SALES, values: ['region'] }, /does not hold numbers/);
  await refused({ csv: 'a\nx\n' }, /nothing to sum/);
  await refused({ csv: `a\n${'1\n'.repeat(MAX_ROWS + 1)}` }, /50000 rows/);
});

test('reads a file of the caller, and no other', async () => {
  const agent = testAgent(Sample, { workspace: { 'data/sales.csv': SALES, 'data/pay.csv': SALES } });
  assert.equal((await agent.invoke('profile', { file: 'data/sales.csv' })).result.rows, 4);
  const grant = agent.mintGrant({ allowPatterns: ['data/sales.csv'] });
  await assert.rejects(agent.invoke('profile', { file: 'data/pay.csv' }, { grant }), { code: 'workspace_denied' });
});

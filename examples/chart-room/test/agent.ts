import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { ChartRoom } from '../agent.ts';
import { readTable } from '../table.ts';

const SALES = `month,region,revenue,cost
2026-01,north,"1,200",800
2026-02,north,1400,820
2026-02,north,1400,820
,,,
2026-03,south,n/a,790
2026-04,south,9800,910
`;

test('cleans what people export: separators, repeated and blank rows, words for nothing', () => {
  const { rows, cleaning, columns } = readTable(SALES);
  assert.deepEqual([rows, cleaning], [4, { blank_rows: 1, repeated_rows: 1, missing_cells: 1 }]);
  assert.deepEqual(
    columns.map(({ kind }) => kind),
    ['date', 'text', 'number', 'number'],
  );
  assert.deepEqual(readTable('a;b\n1;€ 2\n3;(4)\n').columns[1]?.values, [2, -4]);
});

test('profiles a table', async () => {
  const { result } = await testAgent(ChartRoom).invoke('profile', { csv: SALES });
  const revenue = result.columns.find(({ name }) => name === 'revenue');
  assert.deepEqual([revenue?.count, revenue?.missing, revenue?.min, revenue?.max, revenue?.median], [3, 1, 1200, 9800, 1400]);
  assert.deepEqual(result.columns[1]?.top, [
    { value: 'north', count: 2 },
    { value: 'south', count: 2 },
  ]);
});

test('draws lines over dates, reports, and says how far it is', async () => {
  const agent = testAgent(ChartRoom);
  const { result, events, artifacts } = await agent.invoke('draw', { csv: SALES, title: 'Sales <2026>', y: ['revenue', 'cost'] });
  assert.deepEqual(result.drawn, { x: 'month', y: ['revenue', 'cost'] });
  assert.deepEqual(
    artifacts.map(({ name, mime_type }) => [name, mime_type]),
    [
      ['chart.svg', 'image/svg+xml'],
      ['report.md', 'text/markdown'],
    ],
  );
  const [svg = '', report = ''] = artifacts.map((ref) => new TextDecoder().decode(agent.artifact(ref)));
  assert.equal(svg.match(/<path /g)?.length, 2);
  assert.match(svg, /Sales &lt;2026&gt;/);
  assert.match(report, /\| revenue \| 3 \| 1200 /);
  assert.equal(events.filter(({ kind }) => kind === 'progress').length, 4);
});

test('draws bars over names', async () => {
  const agent = testAgent(ChartRoom);
  const { artifacts } = await agent.invoke('draw', { csv: SALES, x: 'region', y: ['revenue'] });
  const [svg = ''] = artifacts.map((ref) => new TextDecoder().decode(agent.artifact(ref)));
  assert.equal(svg.match(/<rect x/g)?.length, 3, 'one of the legend, two bars');
});

test("reads a file of the caller's workspace, and no other", async () => {
  const agent = testAgent(ChartRoom, { workspace: { 'data/sales.csv': SALES, 'data/other.csv': SALES } });
  assert.equal((await agent.invoke('profile', { file: 'data/sales.csv' })).result.rows, 4);
  const grant = agent.mintGrant({ allowPatterns: ['data/sales.csv'] });
  assert.equal((await agent.invoke('profile', { file: 'data/sales.csv' }, { grant })).result.rows, 4);
  await assert.rejects(agent.invoke('profile', { file: 'data/other.csv' }, { grant }), { code: 'workspace_denied' });
});

test('says what is wrong with the arguments', async () => {
  const agent = testAgent(ChartRoom);
  await assert.rejects(agent.invoke('draw', { csv: SALES, x: 'year' }), { code: 'skill_input_error', message: /month, region, revenue, cost/ });
  await assert.rejects(agent.invoke('profile', {}), { code: 'skill_input_error' });
  await assert.rejects(agent.invoke('profile', { csv: 'a,b\n' }), { code: 'skill_input_error' });
});

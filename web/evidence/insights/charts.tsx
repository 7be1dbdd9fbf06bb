// Calls and latency over time: two charts, and the same as a table.
import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme, VisuallyHidden } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import type { Output } from '../../api/client.ts';
import { List } from '../../kit/list.tsx';
import { number } from '../../kit/number.ts';
import { time } from './words.ts';
import styles from './charts.module.css';

type Calls = Output<'agentInsights', 'calls'>;
type Point = Calls['series'][number];

const HEIGHT = 200;
const LOOK = {
  light: { calls: '#2f5bea', bad: '#d6336c', slow: '#e8590c', text: '#5b6472', line: '#e3e6ea' },
  dark: { calls: '#6d8fef', bad: '#f06595', slow: '#ff922b', text: '#a9b1bd', line: '#3a3f47' },
};
type Look = (typeof LOOK)['light'];

export function Charts({ of: { series, bucket, from, to } }: { of: Pick<Calls, 'series' | 'bucket' | 'from' | 'to'> }) {
  const look = LOOK[useComputedColorScheme('light')];
  const at = series.map((one) => secondsOf(one.at));
  const span: Span = [secondsOf(from), secondsOf(to)];
  const column = (of: (one: Point) => number | null): (number | null)[] => series.map(of);
  return (
    <>
      <Chart
        title={`Calls per ${bucket}`}
        data={[at, column(({ calls }) => calls), column(({ failed }) => failed)]}
        lines={[
          { label: 'All', color: look.calls },
          { label: 'Failed', color: look.bad },
        ]}
        look={look}
        span={span}
        bars
        values={number}
      />
      <Chart
        title="How long they took"
        data={[at, column(({ p50_ms }) => p50_ms), column(({ p95_ms }) => p95_ms)]}
        lines={[
          { label: 'Half within', color: look.calls },
          { label: '95 % within', color: look.slow },
        ]}
        look={look}
        span={span}
        values={time}
      />
      <details className={styles.details}>
        <summary>As a table</summary>
        <List
          label={`Calls per ${bucket}`}
          pages={series}
          keyOf={(one) => one.at}
          empty={null}
          columns={[
            { head: 'From (UTC)', wide: true, cell: (one) => one.at.slice(0, 16).replace('T', ' ') },
            { head: 'Calls', end: true, cell: ({ calls }) => number(calls) },
            { head: 'Failed', end: true, cell: ({ failed }) => number(failed) },
            { head: 'Half within', end: true, cell: ({ p50_ms }) => time(p50_ms) },
            { head: '95 % within', end: true, cell: ({ p95_ms }) => time(p95_ms) },
          ]}
        />
      </details>
    </>
  );
}

/** All of the window, also where nothing was called. */
type Span = [from: number, to: number];

const secondsOf = (at: string): number => Date.parse(at) / 1000;

interface Line {
  label: string;
  color: string;
}

interface ChartProps {
  title: string;
  data: uPlot.AlignedData;
  lines: readonly Line[];
  look: Look;
  span: Span;
  bars?: true;
  values(value: number): string;
}

function Chart({ title, data, lines, look, span, bars, values }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const chart = new uPlot(optionsFor({ width: element.clientWidth, lines, look, span, bars, values }), data, element);
    const watcher = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      chart.destroy();
    };
  }, [JSON.stringify([data, span]), look]);
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.caption}>
        {title}
        {lines.map(({ label, color }) => (
          <span key={label} className={styles.key}>
            <span className={styles.mark} style={{ background: color }} aria-hidden />
            {label}
          </span>
        ))}
        <VisuallyHidden>The table below has the same content.</VisuallyHidden>
      </figcaption>
      <div ref={place} className={styles.chart} style={{ height: HEIGHT }} aria-hidden />
    </figure>
  );
}

function optionsFor({
  width,
  lines,
  look,
  span,
  bars,
  values,
}: { width: number } & Pick<ChartProps, 'lines' | 'look' | 'span' | 'bars' | 'values'>): uPlot.Options {
  const axis = { stroke: look.text, grid: { stroke: look.line, width: 1 }, ticks: { stroke: look.line, width: 1 } };
  return {
    width,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { y: false },
    scales: { x: { range: () => span }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [axis, { ...axis, size: 76, values: (_, ticks) => ticks.map(values) }],
    series: [
      {},
      ...lines.map(({ label, color }) => ({
        label,
        stroke: color,
        width: 2,
        spanGaps: true,
        ...(bars ? { fill: color, points: { show: false }, ...barPaths() } : {}),
      })),
    ],
  };
}

function barPaths(): Pick<uPlot.Series, 'paths'> {
  const paths = uPlot.paths.bars?.({ size: [0.7, 40] });
  return paths ? { paths } : {};
}

// Cost per day: a chart, and the same as a table.
import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { dollars } from '../../kit/dollars.ts';
import styles from './day-chart.module.css';

const HEIGHT = 220;
const LOOK = {
  light: { bar: '#2f5bea', text: '#5b6472', line: '#e3e6ea' },
  dark: { bar: '#6d8fef', text: '#a9b1bd', line: '#3a3f47' },
};

export interface DayValue {
  day: string;
  /** Micro-dollars. */
  value: number;
}

export function DayChart({ days }: { days: readonly DayValue[] }) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const chart = new uPlot(optionsFor(element.clientWidth, scheme), columns(days), element);
    const watcher = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      chart.destroy();
    };
  }, [days, scheme]);
  return (
    <>
      <div ref={place} className={styles.chart} style={{ height: HEIGHT }} aria-hidden />
      <details>
        <summary className={styles.summary}>As a table</summary>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, value }) => (
              <tr key={day}>
                <td>{day}</td>
                <td>{dollars(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

function columns(days: readonly DayValue[]): uPlot.AlignedData {
  return [days.map(({ day }) => Date.parse(day) / 1000), days.map(({ value }) => value / 1_000_000)];
}

function optionsFor(width: number, scheme: 'light' | 'dark'): uPlot.Options {
  const { bar, text, line } = LOOK[scheme];
  const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  return {
    width,
    height: HEIGHT,
    // Days are those of UTC.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { y: false },
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [axis, { ...axis, size: 70, values: (_, ticks) => ticks.map((value) => dollars(Math.round(value * 1_000_000))) }],
    series: [{}, { label: 'Cost', fill: bar, stroke: bar, points: { show: false }, ...barPaths() }],
  };
}

function barPaths(): Pick<uPlot.Series, 'paths'> {
  const paths = uPlot.paths.bars?.({ size: [0.7, 40] });
  return paths ? { paths } : {};
}

// What was measured over the steps, and intervals, drawn plainly.
import { Group, Text } from '@mantine/core';
import styles from './plot.module.css';
import { lineOf, placeOf } from './line.ts';
import { number } from '../../kit/number.ts';
import { inWords } from '../../kit/in-words.ts';

const WIDTH = 300;
const HEIGHT = 90;

export function Plot({ name, about, values }: { name: string; about: string; values: readonly number[] }) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return (
    <figure className={styles.plot ?? ''}>
      <Group justify="space-between" gap="xs" wrap="nowrap" component="figcaption">
        <div>
          <Text size="sm" fw={600}>
            {inWords(name)}
          </Text>
          <Text size="xs" c="dimmed">
            {about}
          </Text>
        </div>
        <Text size="sm" ff="monospace">
          {values.slice(-1).map(number)}
        </Text>
      </Group>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${inWords(name)}: ${values.length} steps, from ${values[0]} to ${values.at(-1)}, between ${low} and ${high}`}
      >
        <line className={styles.base ?? ''} x1={0} x2={WIDTH} y1={HEIGHT - 1} y2={HEIGHT - 1} />
        <polyline className={styles.line ?? ''} points={lineOf(values, WIDTH, HEIGHT)} />
      </svg>
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {number(low)} to {number(high)}
        </Text>
        <Text size="xs" c="dimmed">
          {values.length} steps
        </Text>
      </Group>
    </figure>
  );
}

export function Plots({ metrics }: { metrics: readonly { metric: string; about: string; values: readonly number[] }[] }) {
  return (
    <div className={styles.plots ?? ''}>
      {metrics.map(({ metric, about, values }) => (
        <Plot key={metric} name={metric} about={about} values={values} />
      ))}
    </div>
  );
}

export interface IntervalOf {
  mean: number;
  low: number;
  high: number;
}

/** Where an interval lies between the ends of all. */
export function Interval({ of: { mean, low, high }, from, to, label }: { of: IntervalOf; from: number; to: number; label: string }) {
  const at = (value: number): number => placeOf(value, from, to) * 152 + 4;
  return (
    <svg className={styles.interval ?? ''} viewBox="0 0 160 16" role="img" aria-label={label}>
      <line className={styles.base ?? ''} x1={0} x2={160} y1={8} y2={8} />
      {from < 0 && to > 0 && <line className={styles.base ?? ''} x1={at(0)} x2={at(0)} y1={1} y2={15} />}
      <line className={styles.bar ?? ''} x1={at(low)} x2={at(high)} y1={8} y2={8} />
      <circle className={styles.mean ?? ''} cx={at(mean)} cy={8} r={4} />
    </svg>
  );
}

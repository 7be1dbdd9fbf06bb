// Small charts as inline SVG: one picture with a name that says what it shows.
import styles from './figures.module.css';

const HEIGHT = 40;
const STEP = 10;
/** Of a bucket in which there was nothing. */
const GROUND = 1.5;

export function Bars({ label, values, kind }: { label: string; values: readonly (number | null)[]; kind?: 'bad' | 'money' }) {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  return (
    <svg role="img" aria-label={label} className={styles.chart} viewBox={`0 0 ${values.length * STEP} ${HEIGHT}`} preserveAspectRatio="none">
      {values.map((value, at) => {
        const height = value ? Math.max(2, (value / most) * HEIGHT) : GROUND;
        // By their place: a chart is drawn anew as a whole.
        return (
          <rect
            key={at}
            className={value ? styles.bar : styles.ground}
            data-kind={kind}
            x={at * STEP + 1}
            width={STEP - 2}
            y={HEIGHT - height}
            height={height}
          />
        );
      })}
    </svg>
  );
}

/** The first is the usual one, the second the slow one. */
export function Lines({ label, values }: { label: string; values: readonly (readonly (number | null)[])[] }) {
  const most = Math.max(1, ...values.flat().map((value) => value ?? 0));
  const count = values[0]?.length ?? 0;
  return (
    <svg role="img" aria-label={label} className={styles.chart} viewBox={`0 0 ${count * STEP} ${HEIGHT}`} preserveAspectRatio="none">
      <rect className={styles.ground} x={0} width={count * STEP} y={HEIGHT - GROUND} height={GROUND} />
      {values.map((line, at) => (
        <path key={at} className={styles.line} data-slow={at > 0 || undefined} d={pathOf(line, most)} />
      ))}
    </svg>
  );
}

/** Over buckets without a value; a single one is a short line. */
function pathOf(line: readonly (number | null)[], most: number): string {
  const points = line.flatMap((value, at) => (value === null ? [] : [{ x: at * STEP + STEP / 2, y: HEIGHT - 1 - (value / most) * (HEIGHT - 2) }]));
  const [first, ...rest] = points;
  if (!first) return '';
  return `M${first.x - (rest.length === 0 ? 4 : 0)} ${first.y.toFixed(1)}${rest.map(({ x, y }) => `L${x} ${y.toFixed(1)}`).join('')}${rest.length === 0 ? 'h8' : ''}`;
}

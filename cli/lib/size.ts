const STEPS = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `1 KiB`, `2.5 MiB`: at least a KiB, with one digit from MiB on. */
export function size(bytes: number): string {
  const step = Math.min(Math.max(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), 1), STEPS.length);
  const value = bytes / 1024 ** step;
  return `${step === 1 ? Math.max(1, Math.round(value)) : value.toFixed(1).replace(/\.0$/, '')} ${STEPS[step - 1] ?? ''}`;
}

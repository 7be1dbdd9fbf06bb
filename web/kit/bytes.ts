// words: shown
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** "1 byte", "940 bytes", "1.2 MiB". */
export function size(bytes: number): string {
  if (bytes === 1) return '1 byte';
  const step = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const value = bytes / 1024 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[step]}`;
}

// Spans of time in the unit in which they are a short number.

export const UNITS = [
  { word: 'seconds', label: 'seconds', seconds: 1 },
  { word: 'minutes', label: 'minutes', seconds: 60 },
  { word: 'hours', label: 'hours', seconds: 3_600 },
  { word: 'days', label: 'days', seconds: 86_400 },
] as const;
export type Unit = (typeof UNITS)[number]['word'];

const secondsOf = (unit: Unit): number => UNITS.find(({ word }) => word === unit)?.seconds ?? 1;

/** The largest unit of which it is a whole number: 5400 seconds are 90 minutes. */
export function unitOf(seconds: number): Unit {
  return UNITS.findLast(({ seconds: each }) => seconds > 0 && seconds % each === 0)?.word ?? 'seconds';
}

/** "90 minutes", "1 day". */
export function spanWords(seconds: number): string {
  const unit = unitOf(seconds);
  const count = seconds / secondsOf(unit);
  return WORDS[unit](count);
}

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

const WORDS: Record<Unit, (count: number) => string> = {
  seconds: (count) => plural(count, 'second', 'seconds'),
  minutes: (count) => plural(count, 'minute', 'minutes'),
  hours: (count) => plural(count, 'hour', 'hours'),
  days: (count) => plural(count, 'day', 'days'),
};

/** What is no number stays as it is. */
export function spanOf(text: string, unit: Unit, perSecond: number): unknown {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) && number >= 0 ? Math.round(number * secondsOf(unit) * perSecond) : text;
}

export function inUnit(value: number, unit: Unit, perSecond: number): string {
  return String(Math.round((value / perSecond / secondsOf(unit)) * 1e6) / 1e6);
}

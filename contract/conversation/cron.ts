// Five-field cron: minute, hour, day of month, month, day of week, with "#", "L" and "W" among days. croner
// reads it: of the kept libraries only it knows all three (cron-parser refuses W), and it matches the crontab
// rule of days. Only the calendar is asked of it, never a zone: of Apia's missing day it lost the runs, and
// it has no setting for what repeats.
import { Cron as Pattern } from 'croner';

export const DAY_MS = 86_400_000;
export const MINUTE_MS = 60_000;

/** Days are counted since 1970-01-01. */
export interface Cron {
  /** Minutes of the day at which it comes, in order. */
  minutes: readonly number[];
  /** It names every hour of the day: an interval, not times of the day. */
  everyHour: boolean;
  /** Either kind of day is enough; otherwise both must fit. */
  eitherDay: boolean;
  comesOn(day: number): boolean;
  /** The first day, from this one, on which it comes. Undefined: none in the next decades. */
  nextDay(day: number): number | undefined;
}

class CronInvalid extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CronInvalid';
  }
}

interface Field {
  name: string;
  size: number;
  hint: string;
  /** The field as a whole expression. */
  whole(part: string): string;
}

const parts = '"*", ranges such as';
const fields: readonly Field[] = [
  { name: 'minute', size: 60, hint: `use 0 to 59, ${parts} 0-29, steps such as */15, and lists`, whole: (part) => `${part} * * * *` },
  { name: 'hour', size: 24, hint: `use 0 to 23, ${parts} 9-17, steps such as */2, and lists`, whole: (part) => `* ${part} * * *` },
  {
    name: 'day of month',
    size: 31,
    hint: `use 1 to 31, ${parts} 1-7, steps, L (the last day), 15W (the weekday nearest to the 15th) and lists; LW (the last weekday) takes no others`,
    whole: (part) => `* * ${part} * *`,
  },
  { name: 'month', size: 12, hint: `use 1 to 12 or jan to dec, ${parts} jan-mar, steps, and lists`, whole: (part) => `* * * ${part} *` },
  {
    name: 'day of week',
    size: 7,
    hint: `use 0 to 7 (0 and 7 are Sunday) or sun to sat, ${parts} mon-fri, steps, mon#2 (the second Monday of the month), friL (the last Friday) and lists`,
    whole: (part) => `* * * * ${part}`,
  },
];

/** Read ones are kept: a page of schedules asks for the same few again and again. */
const read = new Map<string, Cron>();
const mostRead = 500;

/** @throws CronInvalid with a message that says what to write instead */
export function parseCron(text: string): Cron {
  const known = read.get(text);
  if (known) return known;
  const cron = parse(text);
  if (read.size >= mostRead) read.clear();
  read.set(text, cron);
  return cron;
}

/** What is wrong with it; undefined when nothing is. */
export function cronFault(text: string): string | undefined {
  try {
    parseCron(text);
    return undefined;
  } catch (error) {
    if (error instanceof CronInvalid) return error.message;
    throw error;
  }
}

function parse(text: string): Cron {
  const written = text.trim().split(/\s+/);
  if (written.length > 5)
    throw new CronInvalid(`has ${written.length} fields: use five (minute hour day-of-month month day-of-week); once a minute is the fastest`);
  if (written.length < 5) throw new CronInvalid('needs five fields: minute hour day-of-month month day-of-week, such as "30 9 * * mon-fri"');
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields.map((field, at) => checked(written[at] ?? '', field));
  // As in crontab: a day that begins with a star restricts the other, and does not add to it.
  const eitherDay = !dayOfMonth?.startsWith('*') && !dayOfWeek?.startsWith('*');
  const days = pattern(`0 0 ${dayOfMonth} ${month} ${dayOfWeek}`, !eitherDay);
  const everyDay = [dayOfMonth, month, dayOfWeek].every((field) => field === '*');
  const comesOn = (day: number): boolean => everyDay || days.match(new Date(day * DAY_MS));
  const nextDay = (day: number): number | undefined => {
    if (comesOn(day)) return day;
    const next = days.nextRun(new Date(day * DAY_MS));
    return next ? next.getTime() / DAY_MS : undefined;
  };
  if (nextDay(0) === undefined) throw new CronInvalid('never comes: none of its months has such a day');
  const hours = matching(`0 ${hour} * * *`, 24, 60 * MINUTE_MS);
  const ofHour = matching(`${minute} * * * *`, 60, MINUTE_MS);
  return { minutes: hours.flatMap((h) => ofHour.map((m) => h * 60 + m)), everyHour: hours.length === 24, eitherDay, comesOn, nextDay };
}

function pattern(text: string, bothDays = false): Pattern {
  return new Pattern(text, { timezone: 'UTC', mode: '5-part', sloppyRanges: true, domAndDow: bothDays, paused: true });
}

/** Which of the first day's moments it names. */
function matching(text: string, count: number, everyMs: number): number[] {
  const matcher = pattern(text);
  return Array.from({ length: count }, (_, n) => n).filter((n) => matcher.match(new Date(n * everyMs)));
}

/** The field as the library takes it. @throws CronInvalid */
function checked(field: string, { name, size, hint, whole }: Field): string {
  // "?" and "+" are other dialects' words for what "*" says.
  const text = field.toUpperCase().replaceAll(/\/(\d+)/g, (_, step: string) => `/${Math.min(Number(step), size)}`);
  for (const part of [...text.split(','), text]) {
    try {
      if (/[?+]/.test(part)) throw new Error('of another dialect');
      pattern(whole(part));
    } catch {
      throw new CronInvalid(`${name} "${part.toLowerCase().slice(0, 20)}": ${adviceFor(part) ?? hint}`);
    }
  }
  return text;
}

function adviceFor(part: string): string | undefined {
  const [span = '', step, ...more] = part.split('/');
  if (step !== undefined && (more.length > 0 || !/^[1-9]\d*$/.test(step))) return 'what follows "/" is a number from 1';
  if (/^\w+-\w+-/.test(span)) return 'a range has two ends, such as 1-5';
  const [from, to] = span.split('-');
  if (from !== undefined && to !== undefined && Number(to) < Number(from)) return 'the range ends before it begins; write two ranges with a comma';
  return undefined;
}

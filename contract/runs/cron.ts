// Five-field cron: minute, hour, day of month, month, day of week. As everywhere: where both days are restricted, either one will do.
// Not croner or cron-parser: they accept six fields, L and # (cron-parser also four fields), which the workflow engine cannot keep; croner gives no
// values to write plain expressions from, and both say what is wrong but not what to write.

interface Field {
  name: string;
  min: number;
  max: number;
  /** Three-letter names, the first of which is `min`. */
  names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const fields: readonly [Field, Field, Field, Field, Field] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: months },
  { name: 'day of week', min: 0, max: 7, names: days },
];
const longest = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export interface Cron {
  minute: number[];
  hour: number[];
  dayOfMonth: number[];
  month: number[];
  /** 0 is Sunday. */
  dayOfWeek: number[];
  /** Either kind of day will do; otherwise both must fit. */
  eitherDay: boolean;
}

class CronInvalid extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CronInvalid';
  }
}

/** @throws CronInvalid with a message that says what to write instead */
export function parseCron(text: string): Cron {
  const parts = text.trim().split(/\s+/);
  if (parts.length > 5)
    throw new CronInvalid(`has ${parts.length} fields: use five (minute hour day-of-month month day-of-week); once a minute is the fastest`);
  const [minute, hour, dayOfMonth, month, dayOfWeek] = parts;
  if (dayOfWeek === undefined || minute === undefined || hour === undefined || dayOfMonth === undefined || month === undefined) {
    throw new CronInvalid('needs five fields: minute hour day-of-month month day-of-week, such as "30 9 * * mon-fri"');
  }
  const cron: Cron = {
    minute: expand(minute, fields[0]),
    hour: expand(hour, fields[1]),
    dayOfMonth: expand(dayOfMonth, fields[2]),
    month: expand(month, fields[3]),
    dayOfWeek: [...new Set(expand(dayOfWeek, fields[4]).map((day) => day % 7))].sort((a, b) => a - b),
    eitherDay: !dayOfMonth.startsWith('*') && !dayOfWeek.startsWith('*'),
  };
  const comes = cron.eitherDay || cron.month.some((m) => cron.dayOfMonth.some((day) => day <= (longest[m - 1] ?? 31)));
  if (!comes) throw new CronInvalid('never comes: none of its months has such a day');
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

/** Expressions whose days must both fit, in numbers only; together they mean what `cron` does. */
export function plainCrons(cron: Cron): string[] {
  const line = (dayOfMonth: string, dayOfWeek: string): string =>
    [listOf(cron.minute, fields[0]), listOf(cron.hour, fields[1]), dayOfMonth, listOf(cron.month, fields[3]), dayOfWeek].join(' ');
  const ofMonth = listOf(cron.dayOfMonth, fields[2]);
  const ofWeek = cron.dayOfWeek.length === 7 ? '*' : cron.dayOfWeek.join(',');
  return cron.eitherDay ? [...new Set([line(ofMonth, '*'), line('*', ofWeek)])] : [line(ofMonth, ofWeek)];
}

function listOf(values: readonly number[], { min, max }: Field): string {
  return values.length === max - min + 1 ? '*' : values.join(',');
}

function expand(text: string, field: Field): number[] {
  const found = new Set<number>();
  for (const part of text.split(',')) for (const value of range(part, field)) found.add(value);
  return [...found].sort((a, b) => a - b);
}

function range(part: string, field: Field): number[] {
  const [span = '', step, ...more] = part.split('/');
  const every = step === undefined ? 1 : /^\d{1,2}$/.test(step) ? Number(step) : 0;
  if (more.length > 0 || every < 1) throw new CronInvalid(`${field.name} "${part}": what follows "/" is a number from 1`);
  const [from = '', to, ...rest] = span.split('-');
  if (rest.length > 0) throw new CronInvalid(`${field.name} "${part}": a range has two ends, such as ${field.min}-${field.max}`);
  // The alias 7 of Sunday is no day of its own in "*".
  const last = field.max === 7 ? 6 : field.max;
  const first = span === '*' ? field.min : valueOf(from, field);
  const end = span === '*' ? last : to !== undefined ? valueOf(to, field) : step === undefined ? first : last;
  if (end < first) throw new CronInvalid(`${field.name} "${part}": the range ends before it begins; write two ranges with a comma`);
  return Array.from({ length: Math.floor((end - first) / every) + 1 }, (_, n) => first + n * every);
}

function valueOf(text: string, { name, min, max, names }: Field): number {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + min;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    throw new CronInvalid(`${name} "${text.slice(0, 20)}": use ${min} to ${max}${names ? ` or ${names[0]} to ${names.at(-1)}` : ''}, "*", ranges and lists`);
  }
  return value;
}

import { z } from 'zod';

export const TimeZone = z
  .string()
  .min(1)
  .max(64)
  .refine(isTimeZone, 'is not an IANA time zone: use a name such as "Europe/Berlin" or "UTC"')
  .meta({ format: 'iana-time-zone', description: 'IANA name.', examples: ['Europe/Berlin'] });

function isTimeZone(name: string): boolean {
  // Offsets such as "+01:00" are understood here and not by the scheduler.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

// Lists in variables of the environment: values separated by commas.
import { z } from 'zod';

/** Without the empty ones, and without blanks around each. */
export const listed = z.string().transform((text) => text.split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()])));

/** `name=value`, by their names; what has no name is left out. */
export const namedValues = z.string().transform((text) =>
  Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const equals = pair.indexOf('=');
      return equals > 0 ? [[pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]] : [];
    }),
  ),
);

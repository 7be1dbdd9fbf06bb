// The argument of a skill whose framework takes a text, and that text.
import { z } from '../index.ts';

export const Message = z.object({ message: z.string().min(1).describe('What you want.') });
export type Message = z.infer<typeof Message>;

/** The arguments as the one text that most frameworks take: only the message, or JSON. */
export function textOf(args: Readonly<Record<string, unknown>>): string {
  const { message } = args;
  return typeof message === 'string' && Object.keys(args).length === 1 ? message : JSON.stringify(args);
}

/** More arguments of the framework's own run function; a function makes them for each run. */
export type More<Args> = Readonly<Record<string, unknown>> | ((run: Args) => Readonly<Record<string, unknown>>);

export function moreOf<Args>(more: More<Args> | undefined, run: Args): Readonly<Record<string, unknown>> {
  return typeof more === 'function' ? more(run) : (more ?? {});
}

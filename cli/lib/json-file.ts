// A JSON file that a person names.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { NumberOutOfRange, parseExact } from '#contract/wire/exact-json.ts';
import { readFile } from 'node:fs/promises';
import { CliError } from './errors.ts';

/**
 * The API checks what is in it. @throws CliError for a file that cannot be read (`remedy`: what to name), or
 * is no JSON
 */
export async function readJsonFile(path: string, remedy: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new CliError(`${path} cannot be read: ${remedy}`);
  });
  try {
    return parseExact(withoutMark(text));
  } catch (error) {
    if (error instanceof NumberOutOfRange) throw new CliError(`${path}: ${error.message}.`);
    if (error instanceof SyntaxError) throw new CliError(`${path} is no JSON: ${error.message}`);
    throw error;
  }
}

import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import type { TemplateName } from '#contract/studio/kernel-simulations.ts';
import type { SimulationSpecIn } from '#contract/studio/simulation/spec.ts';
import { CliError } from '../errors.ts';

type World = { template: z.input<typeof TemplateName>; spec?: never } | { spec: z.input<typeof SimulationSpecIn>; template?: never };

/** A template by its name, or a specification in a JSON file. @throws CliError for a file that cannot be read, or is no JSON */
export async function worldIn(what: string): Promise<World> {
  // Safe: the API knows its templates, and says which there are.
  if (!/[./\\]/.test(what)) return { template: what as z.input<typeof TemplateName> };
  const text = await readFile(what, 'utf8').catch(() => {
    throw new CliError(`${what} cannot be read: name a JSON file, or a template (svc simulate templates)`);
  });
  try {
    // Safe: the API checks it, and says what of it is wrong.
    return { spec: JSON.parse(text) as z.input<typeof SimulationSpecIn> };
  } catch (error) {
    if (error instanceof SyntaxError) throw new CliError(`${what} is no JSON: ${error.message}`);
    throw error;
  }
}

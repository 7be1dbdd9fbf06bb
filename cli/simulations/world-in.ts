import type { z } from 'zod';
import type { TemplateName } from '#contract/studio/kernel-simulations.ts';
import type { SimulationSpecIn } from '#contract/studio/simulation/spec.ts';
import { readJsonFile } from '../lib/json-file.ts';

type World = { template: z.input<typeof TemplateName>; spec?: never } | { spec: z.input<typeof SimulationSpecIn>; template?: never };

/**
 * A template by its name, or a specification in a JSON file. @throws CliError for a file that cannot be read,
 * or is no JSON
 */
export async function worldIn(what: string): Promise<World> {
  // Safe: the API knows its templates, and says which there are.
  if (!/[./\\]/.test(what)) return { template: what as z.input<typeof TemplateName> };
  // Safe: the API checks it, and says what of it is wrong.
  return { spec: (await readJsonFile(what, 'name a JSON file, or a template (svc simulate templates)')) as z.input<typeof SimulationSpecIn> };
}

import type { z } from 'zod';
import type { KernelEvolutionIn } from '#contract/studio/kernel-evolution.ts';
import { worldIn } from './world-in.ts';

type Compared = Pick<z.input<typeof KernelEvolutionIn>, 'template' | 'spec' | 'participants' | 'world'>;

/** As worldIn; a file that names `participants` gives those, and the `world` in which they are compared. */
export async function contestantsIn(what: string): Promise<Compared> {
  const world = await worldIn(what);
  const spec: object | undefined = world.spec;
  if (spec === undefined || !('participants' in spec)) return world;
  const { participants, ...more } = spec;
  // Safe: the API checks them, and says what of them is wrong.
  return { participants: participants, ...('world' in more && { world: more.world }) } as Compared;
}

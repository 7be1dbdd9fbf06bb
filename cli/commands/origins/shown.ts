import type { z } from 'zod';
import type { AllowedOriginsOut } from '#contract/agents/allowed-origins.ts';
import { plain } from '../../output.ts';

const DEFAULTS = { any: 'Any public origin (the default of a public agent).', none: 'No page of another origin (the default of an unlisted agent).' };

export function shownOrigins({ allowed_origins, declared, effective }: z.infer<typeof AllowedOriginsOut>): string[] {
  if (effective !== 'listed') return [DEFAULTS[effective]];
  const listed = allowed_origins ?? declared ?? [];
  const from = allowed_origins === null ? 'of svc.yaml' : 'set by the owner';
  return listed.length === 0 ? [`No page of another origin (${from}).`] : listed.map((one) => plain(one));
}

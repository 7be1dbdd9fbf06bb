// The language model that a command line names.
import type { StudioBrief } from '#contract/studio/studio-brief.ts';

export const MODEL_WORDS = 'a language model of yours writes and fixes source: default, or its name';

/**
 * `--model default` is the one of the credential; `--credential` without `--model` means that, too.
 * Undefined: none.
 */
export function modelIn(model: string | undefined, credential: string | undefined): StudioBrief['model'] {
  if (model === undefined && credential === undefined) return undefined;
  return { ...(credential !== undefined && { credential }), ...(model !== undefined && model !== 'default' && { model }) };
}

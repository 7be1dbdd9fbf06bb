import { useEffect, useState } from 'react';
import { same } from './branches.ts';
import { dropDraft, keepDraft, readDraft } from './draft.ts';
import type { JsonSchema } from './schema.ts';
import { filled, withoutSecrets } from './value.ts';

export interface Draft {
  /** The form began with what was typed before. */
  isRestored: boolean;
  /** A change of the form, kept. */
  set(value: unknown): void;
  discard(): void;
}

/** @param name undefined: the form keeps nothing */
export function useDraft(name: string | undefined, schema: JsonSchema, value: unknown, onChange: (value: unknown) => void): Draft {
  const [began] = useState(() => value);
  const [before] = useState(() => (name === undefined ? undefined : readDraft(name)));
  const [isRestored, setRestored] = useState(false);
  const set = (next: unknown): void => {
    onChange(next);
    if (name === undefined) return;
    if (same(next, filled(schema, began))) dropDraft(name);
    else keepDraft(name, withoutSecrets(schema, next));
  };
  // After the form has filled in what it knows: this comes on top of it.
  useEffect(() => {
    if (name === undefined || before === undefined || same(before, filled(schema, value))) return;
    onChange(before);
    keepDraft(name, before);
    setRestored(true);
  }, [name]);
  return {
    isRestored,
    set,
    discard() {
      if (name !== undefined) dropDraft(name);
      setRestored(false);
      onChange(filled(schema, began));
    },
  };
}

// A form made of a JSON Schema. What cannot be drawn is a field of JSON for that part.
import { Stack } from '@mantine/core';
import { useEffect, useMemo } from 'react';
import { FormContext } from './form-context.ts';
import type { FormIssue } from './issues.ts';
import { Part } from './part.tsx';
import type { JsonSchema } from './schema.ts';
import { filled } from './value.ts';

export type { FormIssue } from './issues.ts';
export type { JsonSchema } from './schema.ts';

export interface SchemaFormProps {
  schema: JsonSchema;
  value: unknown;
  onChange: (value: unknown) => void;
  issues?: readonly FormIssue[];
  disabled?: boolean;
  /** A form of the platform's own; the params of its route. */
  about?: Readonly<Record<string, string>>;
}

const NONE: readonly FormIssue[] = [];
const HERE: readonly (string | number)[] = [];

/** `CheckedForm` has a button, the check and JSON beside it. */
export function SchemaForm({ schema, value, onChange, issues = NONE, disabled = false, about }: SchemaFormProps) {
  const context = useMemo(() => ({ root: schema, issues, disabled, about, Part }), [schema, issues, disabled, about]);
  useEffect(() => {
    const full = filled(schema, value);
    if (full !== value) onChange(full);
  }, [schema]);
  return (
    <FormContext value={context}>
      <Stack gap="md">
        <Part schema={schema} path={HERE} value={value} onChange={onChange} label="Value" required />
      </Stack>
    </FormContext>
  );
}

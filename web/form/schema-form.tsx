import { Textarea } from '@mantine/core';

/** JSON Schema, draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

export interface FormIssue {
  /** In the value: member names and list positions. */
  path: readonly (string | number)[];
  message: string;
}

export interface SchemaFormProps {
  schema: JsonSchema;
  value: unknown;
  onChange: (value: unknown) => void;
  issues?: readonly FormIssue[];
  disabled?: boolean;
}

export function SchemaForm({ value, onChange, issues = [], disabled }: SchemaFormProps) {
  return (
    <Textarea
      label="JSON"
      autosize
      minRows={4}
      disabled={disabled ?? false}
      defaultValue={JSON.stringify(value ?? {}, null, 2)}
      error={issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}
      onChange={(event) => {
        try {
          onChange(JSON.parse(event.currentTarget.value));
        } catch {
          // Not yet JSON.
        }
      }}
    />
  );
}

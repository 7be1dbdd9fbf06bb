// Any JSON, as text. A text that is not JSON keeps the last value and says where it breaks.
import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { same } from './branches.ts';
import type { Field } from './field.ts';
import { inputProps, placeholderOf, useIssue, type ViewProps } from './form-context.ts';
import { readJson, writeJson } from './json-text.ts';

type AnyField = ViewProps<'json'> | (Omit<ViewProps<'json'>, 'field'> & { field: Omit<Field, 'kind'> & { kind: 'json' } });

export function JsonView(props: AnyField) {
  const { field, value, onChange, path } = props;
  const [text, setText] = useState(() => writeJson(value));
  const issue = useIssue(path);
  const read = readJson(text);
  const isBroken = 'problem' in read;
  // Changed elsewhere: the text of another value is out of date.
  const shown = isBroken || same(read.value, value) ? text : writeJson(value);
  const problem = isBroken && shown === text ? `Not JSON: ${read.problem} (line ${read.line}, column ${read.column}).` : issue;
  return (
    <Textarea
      {...inputProps({ ...props, field: { ...field, kind: 'json' } }, problem)}
      description={[field.description, 'JSON, e.g. "text", 3, {"a": 1}.'].filter(Boolean).join(' ')}
      placeholder={placeholderOf({ ...field, kind: 'json' })}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      autosize
      minRows={1}
      maxRows={12}
      spellCheck={false}
      value={shown}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        const now = readJson(currentTarget.value);
        if ('value' in now) onChange(now.value);
      }}
    />
  );
}

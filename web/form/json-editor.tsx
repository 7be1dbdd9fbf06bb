// JSON as text, in CodeMirror, which is loaded when an editor is shown. A broken text keeps the last good
// value, and the page says where it breaks.
import { Skeleton, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { JsonRead } from './json-text.ts';

const Editor = lazy(async () => ({ default: (await import('./codemirror-json.tsx')).CodeMirrorJson }));

export interface JsonEditorProps {
  value: unknown;
  onChange: (value: unknown) => void;
  /** For who does not see it. */
  label: string;
  disabled?: boolean;
}

export function JsonEditor({ value, onChange, label, disabled = false }: JsonEditorProps) {
  const [read, setRead] = useState<JsonRead>();
  return (
    <div>
      <Suspense fallback={<Skeleton h={160} aria-busy aria-label="Loading the editor" />}>
        <Editor
          value={value}
          label={label}
          disabled={disabled}
          onRead={(now) => {
            setRead(now);
            if ('value' in now) onChange(now.value);
          }}
        />
      </Suspense>
      <Text size="xs" c={read && 'problem' in read ? 'var(--mantine-color-error)' : 'dimmed'} role="status" mt={4} mih="1.2rem">
        {read && 'problem' in read ? `Line ${read.line}, column ${read.column}: ${read.problem}. The last JSON that was right is kept.` : ''}
      </Text>
    </div>
  );
}

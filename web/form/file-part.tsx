// A file whose bytes are the value: as base64, or as a data: address.
import { FileInput } from '@mantine/core';
import { IconPaperclip } from '@tabler/icons-react';
import { useState } from 'react';
import { inputProps, useIssue, type ViewProps } from './form-context.ts';
import { number } from '../kit/number.ts';

/** Larger ones do not fit into a call: they belong into the workspace. */
const MAX_BYTES = 8 * 1024 * 1024;

export function FileView(props: ViewProps<'file'>) {
  const { field, value, onChange, path } = props;
  const [file, setFile] = useState<File | null>(null);
  const [problem, setProblem] = useState<string>();
  const issue = useIssue(path);
  const take = (taken: File | null): void => {
    setProblem(undefined);
    setFile(null);
    if (!taken) return onChange(undefined);
    if (taken.size > MAX_BYTES) return setProblem(`${taken.name} is larger than 8 MiB. Upload it to your files, and share it with the agent.`);
    const reader = new FileReader();
    reader.addEventListener('error', () => setProblem(`${taken.name} cannot be read.`));
    reader.addEventListener('load', () => {
      setFile(taken);
      const url = String(reader.result);
      onChange(field.as === 'data-url' ? url : url.slice(url.indexOf(',') + 1));
    });
    reader.readAsDataURL(taken);
  };
  const given = typeof value === 'string' && value !== '';
  return (
    <FileInput
      {...inputProps(props, problem ?? issue)}
      placeholder={given && !file ? `${number(value.length)} characters given` : 'Choose a file'}
      value={given ? file : null}
      onChange={take}
      {...(field.accept && { accept: field.accept })}
      leftSection={<IconPaperclip size={15} />}
      clearable
      clearButtonProps={{ 'aria-label': `Remove ${props.label}` }}
    />
  );
}

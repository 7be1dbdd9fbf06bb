// One of several values, yes or no, or the only one there is.
import { Checkbox, Code, Group, NativeSelect, Text } from '@mantine/core';
import { same, shown } from './branches.ts';
import { inputProps, useIssue, type ViewProps } from './form-context.ts';

const UNSET = '';
const NULL = 'null';
const OTHER = 'other';

/** Values need not be texts, so options are named by their places. */
export function ChoiceView(props: ViewProps<'choice'>) {
  const { field, value, onChange, required, path } = props;
  const { options, nullable, usual } = field;
  const at = options.findIndex((option) => same(option.value, value));
  const isOther = at === -1 && value !== undefined && value !== null;
  const data = [
    { value: UNSET, label: unsetLabel(usual, required, options) },
    ...options.map(({ label }, index) => ({ value: String(index), label })),
    ...(nullable ? [{ value: NULL, label: 'No value' }] : []),
    ...(isOther ? [{ value: OTHER, label: shown(value), disabled: true }] : []),
  ];
  const chosen = value === null && nullable ? NULL : isOther ? OTHER : at === -1 ? UNSET : String(at);
  return (
    <NativeSelect
      {...inputProps(props, useIssue(path))}
      data={data}
      value={chosen}
      onChange={({ currentTarget }) => onChange(currentTarget.value === NULL ? null : options[Number(currentTarget.value || -1)]?.value)}
    />
  );
}

function unsetLabel(usual: unknown, required: boolean, options: ViewProps<'choice'>['field']['options']): string {
  if (usual !== undefined) return `Default: ${options.find(({ value }) => same(value, usual))?.label ?? shown(usual)}`;
  return required ? 'Choose one' : 'Not set';
}

/** Where it may be left out there is a third answer. */
export function YesNoView(props: ViewProps<'boolean'>) {
  const { field, value, onChange, required, path, label, disabled } = props;
  const issue = useIssue(path);
  if (required && (typeof value === 'boolean' || value === undefined)) {
    return (
      <Checkbox
        label={label}
        description={field.description}
        error={issue}
        disabled={disabled}
        checked={value === true}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    );
  }
  const options = [
    { value: true, label: 'Yes' },
    { value: false, label: 'No' },
  ];
  return <ChoiceView {...props} field={{ ...field, kind: 'choice', options }} />;
}

/** Nothing to choose: shown, or put in and taken out. */
export function ConstantView({ field, value, onChange, required, label, disabled, path }: ViewProps<'constant'>) {
  const issue = useIssue(path);
  if (!required) {
    return (
      <Checkbox
        label={
          <>
            {label}: <Code>{shown(field.value)}</Code>
          </>
        }
        description={field.description}
        error={issue}
        disabled={disabled}
        checked={value !== undefined}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? field.value : undefined)}
      />
    );
  }
  return (
    <Group gap="xs">
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <Code>{shown(field.value)}</Code>
      {issue && (
        <Text size="xs" c="var(--mantine-color-error)" data-wrong tabIndex={-1}>
          {issue}
        </Text>
      )}
    </Group>
  );
}

// Several of the values that there are; loaded when a form has such a field.
import { MultiSelect } from '@mantine/core';
import { same } from './branches.ts';
import { inputProps, useIssue, type ViewProps } from './form-context.ts';

export function SeveralView(props: ViewProps<'several'>) {
  const { field, value, onChange, required, path } = props;
  const given = Array.isArray(value) ? value : [];
  const chosen = field.options.flatMap((option, at) => (given.some((one) => same(one, option.value)) ? [String(at)] : []));
  return (
    <MultiSelect
      {...inputProps(
        props,
        useIssue(path, () => false),
      )}
      data={field.options.map(({ label }, at) => ({ value: String(at), label }))}
      value={chosen}
      onChange={(places) => onChange(places.length === 0 && !required ? undefined : places.map((at) => field.options[Number(at)]?.value))}
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${props.label}` }}
    />
  );
}

// One of several forms: chosen by the reader, or found by what the value holds.
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { branchOf } from './branches.ts';
import { useForm, type ViewProps } from './form-context.ts';
import { Frame } from './group-part.tsx';
import { inBranch } from './value.ts';

export function UnionView({ field, path, value, onChange, label, required, disabled }: ViewProps<'union'>) {
  const { root, Part } = useForm();
  const { branches } = field;
  const [chosen, setChosen] = useState<{ at: number; value: unknown }>();
  // What was chosen holds for as long as nothing else sets the value.
  const at = chosen && chosen.value === value && chosen.at < branches.length ? chosen.at : branchOf(branches, value, root);
  const branch = branches[at];
  const choose = (next: number): void => {
    const taken = branches[next];
    if (!taken) return;
    const started = inBranch(taken, value, root);
    setChosen({ at: next, value: started });
    onChange(started);
  };
  return (
    <Frame
      label={label}
      help={field.description}
      required={required}
      issue={undefined}
      onLeaveOut={required || disabled ? undefined : () => onChange(undefined)}
    >
      <NativeSelect
        label={`${label} type`}
        size="xs"
        maw="20rem"
        disabled={disabled}
        data={branches.map((one, index) => ({ value: String(index), label: one.label }))}
        value={String(at)}
        onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
      />
      {branch && (
        <Part
          key={at}
          schema={branch.schema}
          path={path}
          value={value}
          onChange={(next) => {
            setChosen({ at, value: next });
            onChange(next);
          }}
          label={branch.label}
          required
          bare
        />
      )}
    </Frame>
  );
}

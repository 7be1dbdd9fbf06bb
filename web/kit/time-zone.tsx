import { Select, type SelectProps } from '@mantine/core';
import { useState } from 'react';

export interface TimeZoneSelectProps extends Pick<SelectProps, 'error'> {
  value: string;
  onChange(zone: string): void;
}

export function TimeZoneSelect({ value, onChange, error }: TimeZoneSelectProps) {
  // Asked for when they are looked for: the first use of the browser's locale data takes tens of milliseconds.
  const [known, setKnown] = useState<readonly string[]>([]);
  return (
    <Select
      label="Time zone"
      data={[...new Set(['UTC', value, ...known])].filter((zone) => zone !== '')}
      value={value}
      searchable
      limit={40}
      allowDeselect={false}
      nothingFoundMessage="No such time zone"
      error={error}
      onFocus={() => setKnown(Intl.supportedValuesOf('timeZone'))}
      onChange={(zone) => zone !== null && onChange(zone)}
    />
  );
}

// A field of a form of the platform's own, drawn as what it is.
import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { Field } from '../field.ts';
import type { PartProps } from '../form-context.ts';
import { DurationView } from './duration.tsx';
import { HourView, MoneyView, PercentView } from './numbers.tsx';
import type { OwnKind } from './kinds.ts';

const Picker = lazy(async () => ({ default: (await import('./pickers.tsx')).Picker }));

export interface OwnProps extends Omit<PartProps, 'schema'> {
  field: Field;
  disabled: boolean;
}

export function OwnPart({ kind, ...props }: OwnProps & { kind: OwnKind }) {
  switch (kind) {
    case 'money-micros':
    case 'money-cents':
      return <MoneyView {...props} microsEach={kind === 'money-cents' ? 10_000 : 1} />;
    case 'seconds':
    case 'milliseconds':
      return <DurationView {...props} perSecond={kind === 'seconds' ? 1 : 1000} />;
    case 'percent':
      return <PercentView {...props} />;
    case 'hour':
      return <HourView {...props} />;
    default:
      return (
        <Suspense fallback={<Skeleton h={60} aria-label="Loading" aria-busy />}>
          <Picker {...props} kind={kind} />
        </Suspense>
      );
  }
}

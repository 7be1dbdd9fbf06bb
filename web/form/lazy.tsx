// The forms as pages use them: what draws and checks them is loaded when one is shown.
import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { CheckedFormProps } from './checked-form.tsx';
import type { SchemaFormProps } from './schema-form.tsx';

const Checked = lazy(async () => ({ default: (await import('./checked-form.tsx')).CheckedForm }));
const Fields = lazy(async () => ({ default: (await import('./schema-form.tsx')).SchemaForm }));
const waiting = <Skeleton h={120} aria-label="Loading" aria-busy />;

/** Checked before it is sent; with the JSON of its value. */
export function CheckedForm(props: CheckedFormProps) {
  return (
    <Suspense fallback={waiting}>
      <Checked {...props} />
    </Suspense>
  );
}

/** Only the fields. */
export function SchemaForm(props: SchemaFormProps) {
  return (
    <Suspense fallback={waiting}>
      <Fields {...props} />
    </Suspense>
  );
}

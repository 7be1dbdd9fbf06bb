import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { ProgramFormProps } from './program-form.tsx';

const Loaded = lazy(async () => ({ default: (await import('./program-form.tsx')).ProgramForm }));

/** Loaded when it is asked for. */
export function ProgramForm(props: ProgramFormProps) {
  return (
    <Suspense fallback={<Skeleton h={240} mb="md" maw={620} aria-label="Loading" aria-busy />}>
      <Loaded {...props} />
    </Suspense>
  );
}

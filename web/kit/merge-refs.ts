import { useMergedRef } from '@mantine/hooks';
import type { Ref, RefCallback } from 'react';

/** As @floating-ui/react has it: web/build/merge-refs.ts puts it in its place. */
export function useMergeRefs<T>(refs: readonly Ref<T>[]): RefCallback<T> {
  return useMergedRef(...refs);
}

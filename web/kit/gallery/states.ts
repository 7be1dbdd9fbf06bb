import type { ReactNode } from 'react';

/** The states of one component, each by what it shows. A state is a component: it may hold what it needs. */
export type States = Readonly<Record<string, () => ReactNode>>;

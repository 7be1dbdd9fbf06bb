// Pages that belong together, as a row of links under their title.
import { Anchor } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { useCurrentInView } from './current-in-view.ts';
import styles from './subpages.module.css';

export interface Subpage {
  label: string;
  to: string;
}

/** @param label what the pages are: "Models" */
export function Subpages({ label, pages }: { label: string; pages: readonly Subpage[] }) {
  const row = useCurrentInView<HTMLElement>(useLocation({ select: ({ pathname }) => pathname }));
  return (
    <nav aria-label={label} className={styles.row} ref={row}>
      {pages.map(({ label: name, to }) => (
        <Anchor key={to} component={Link} to={to} activeOptions={{ exact: true, includeSearch: false }} underline="never" size="sm" className={styles.one}>
          {name}
        </Anchor>
      ))}
    </nav>
  );
}

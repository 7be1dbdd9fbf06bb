// Pages that belong together, as a row of links under their title.
import { Anchor } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import styles from './subpages.module.css';

export interface Subpage {
  label: string;
  to: string;
}

/** @param label what the pages are: "Models" */
export function Subpages({ label, pages }: { label: string; pages: readonly Subpage[] }) {
  const path = useLocation({ select: ({ pathname }) => pathname.replace(/\/$/, '') });
  const current = pages.filter(({ to }) => path === to || path.startsWith(`${to}/`)).toSorted((a, b) => b.to.length - a.to.length)[0];
  return (
    <nav aria-label={label} className={styles.row}>
      {pages.map((page) => (
        <Anchor
          key={page.to}
          component={Link}
          to={page.to}
          underline="never"
          size="sm"
          className={styles.one}
          {...(page === current ? { 'aria-current': 'page' as const } : { 'aria-current': undefined })}
        >
          {page.label}
        </Anchor>
      ))}
    </nav>
  );
}

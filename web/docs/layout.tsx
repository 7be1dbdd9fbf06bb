// The frame of the documentation: search, menu, and the page or what was found.
import { Skeleton } from '@mantine/core';
import { Outlet, useLocation, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { sections } from 'virtual:docs';
import { DocsLink } from './link.tsx';
import { SearchField } from './search-field.tsx';
import styles from './docs.module.css';

const DocsResults = lazy(async () => ({ default: (await import('./results.tsx')).DocsResults }));

export function Layout() {
  const { q = '' } = useSearch({ from: '/docs' });
  return (
    <div className={styles.docs}>
      <div className={styles.side}>
        <SearchField q={q} />
        <Menu />
      </div>
      {q.trim() === '' ? (
        <Outlet />
      ) : (
        <Suspense fallback={<Skeleton h={300} aria-busy="true" />}>
          <DocsResults q={q} />
        </Suspense>
      )}
    </div>
  );
}

function Menu() {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const at = decodeURIComponent(path)
    .replace(/^\/docs\/?/, '')
    .replace(/\/$/, '');
  const phone = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (phone.current) phone.current.open = false;
  }, [path]);
  return (
    <>
      <details ref={phone} className={styles.folded}>
        <summary>All pages</summary>
        <nav aria-label="Documentation, all pages">
          <Sections at={at} />
        </nav>
      </details>
      <nav aria-label="Documentation" className={styles.menu}>
        <Sections at={at} />
      </nav>
    </>
  );
}

function Sections({ at }: { at: string }) {
  return sections.map(({ title, folded, pages }) => {
    const isOpen = !folded || pages.some((page) => page.at === at);
    const [first] = pages;
    return (
      <div key={title}>
        <p className={styles.label}>{isOpen || !first ? title : <DocsLink page={first.at}>{title} …</DocsLink>}</p>
        {isOpen && (
          <ul>
            {pages.map((page) => (
              <li key={page.at}>
                <DocsLink page={page.at}>{page.title}</DocsLink>
              </li>
            ))}
            {title === 'Reference' && (
              <li>
                <a href="/docs/api">HTTP API</a>
              </li>
            )}
          </ul>
        )}
      </div>
    );
  });
}

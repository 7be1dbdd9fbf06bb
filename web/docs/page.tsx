// One page of the documentation, with what is on it at the right where there is room, and the pages before
// and after it.
import { useLoaderData } from '@tanstack/react-router';
import { useEffect } from 'react';
import { sections } from 'virtual:docs';
import { Blocks } from './blocks.tsx';
import { DocsLink } from './link.tsx';
import { OnThisPage } from './on-this-page.tsx';
import type { DocsPage } from './tree.ts';
import styles from './docs.module.css';

export function Start() {
  return <Shown page={useLoaderData({ from: '/docs/' })} />;
}

export function Page() {
  return <Shown page={useLoaderData({ from: '/docs/$' })} />;
}

function Shown({ page: { at, title, source, blocks } }: { page: DocsPage }) {
  useEffect(() => {
    document.title = `${title} · svc`;
  }, [title]);
  return (
    <div className={styles.columns}>
      <article className={styles.prose}>
        <h1>{title}</h1>
        <Blocks blocks={blocks} />
        <Neighbours at={at} />
        <p className={styles.source}>
          Source: <code>{source}</code>
        </p>
      </article>
      <OnThisPage key={at} blocks={blocks} />
    </div>
  );
}

/** In the order of the menu; pages of a folded section only follow each other. */
function Neighbours({ at }: { at: string }) {
  const own = sections.find(({ pages }) => pages.some((page) => page.at === at));
  const pages = own?.folded ? own.pages : sections.filter(({ folded }) => !folded).flatMap((section) => section.pages);
  const index = pages.findIndex((page) => page.at === at);
  const [before, after] = [pages[index - 1], pages[index + 1]];
  return (
    <nav className={styles.neighbours} aria-label="Pages before and after">
      {before && (
        <DocsLink page={before.at} rel="prev">
          <span>Before</span>
          {before.title}
        </DocsLink>
      )}
      {after && (
        <DocsLink page={after.at} rel="next" className={styles.after}>
          <span>Next</span>
          {after.title}
        </DocsLink>
      )}
    </nav>
  );
}

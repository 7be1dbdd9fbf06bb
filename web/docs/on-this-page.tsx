// The headings of a page; the one that is being read is marked.
import { useEffect, useState } from 'react';
import { Words } from './blocks.tsx';
import { type Block, type Inline, plain } from './tree.ts';
import styles from './docs.module.css';

const MOST_WITH_SMALL = 28;

type HeadingBlock = Extract<Block, { kind: 'heading' }>;

export function OnThisPage({ blocks }: { blocks: readonly Block[] }) {
  const all = blocks.filter((block): block is HeadingBlock => block.kind === 'heading' && block.depth <= 3);
  const headings = all.length > MOST_WITH_SMALL ? all.filter(({ depth }) => depth === 2) : all;
  const current = useCurrent(headings.map(({ id }) => id));
  if (headings.length < 2) return <div className={styles.aside} />;
  return (
    <nav className={styles.aside} aria-label="On this page">
      <p className={styles.label}>On this page</p>
      <ul>
        {headings.map(({ id, depth, inside }) => (
          <li key={id} data-depth={depth}>
            <a href={`#${id}`} aria-current={id === current ? 'location' : undefined} title={plain(inside)}>
              <Words of={inside.map(withoutLink)} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const withoutLink = (part: Inline): Inline => (typeof part === 'object' && 'inside' in part ? plain([part]) : part);

/** The last heading above the middle of the window. */
function useCurrent(ids: readonly string[]): string | undefined {
  const [current, setCurrent] = useState<string>();
  const list = ids.join(' ');
  useEffect(() => {
    const read = (): void => {
      const above = list.split(' ').filter((id) => (document.getElementById(id)?.getBoundingClientRect().top ?? Infinity) < window.innerHeight * 0.4);
      setCurrent(above.at(-1));
    };
    let frame = 0;
    const onScroll = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(read);
    };
    onScroll();
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', onScroll);
    };
  }, [list]);
  return current;
}

// What the search found, place by place, with the words marked.
import { Text } from '@mantine/core';
import { type KeyboardEvent, use, useEffect } from 'react';
import { DocsLink } from './link.tsx';
import { excerpt, marked, type Piece } from './excerpt.ts';
import { type DocsHit, RESULTS_ID, loadSearch } from './search.ts';
import styles from './results.module.css';

export function DocsResults({ q }: { q: string }) {
  const places = use(loadSearch())(q);
  useEffect(() => {
    document.title = `${q} · Documentation · svc`;
  }, [q]);
  return (
    <div className={styles.found}>
      <h1>Documentation: “{q}”</h1>
      <Text c="dimmed" size="sm" role="status">
        {places.length === 0 ? 'Nothing was found. Try another word, or fewer.' : `${places.length} ${places.length === 1 ? 'place' : 'places'}`}
      </Text>
      <ol id={RESULTS_ID} onKeyDown={move}>
        {places.map((place) => (
          <li key={place.id}>
            <Place place={place} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function Place({ place: { at, hash, page, title, text, terms } }: { place: DocsHit }) {
  return (
    <DocsLink page={at} {...(hash !== '' && { hash })} className={styles.place}>
      <span className={styles.title}>
        <span>
          <Marked pieces={marked(title, terms)} />
        </span>
        {hash !== '' && <span className={styles.page}>{page}</span>}
      </span>
      <span className={styles.text}>
        <Marked pieces={excerpt(text, terms)} />
      </span>
    </DocsLink>
  );
}

function Marked({ pieces }: { pieces: Piece[] }) {
  return pieces.map(({ text, isMarked }, at) => (isMarked ? <mark key={at}>{text}</mark> : text));
}

/** Arrows go from place to place. */
function move(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const links = [...event.currentTarget.querySelectorAll('a')];
  const next = links[links.findIndex((link) => link === document.activeElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

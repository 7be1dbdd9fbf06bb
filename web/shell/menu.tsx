// The menu: what one looks at daily, and below it, once opened, the other pages.
import { UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import type { Place } from './nav.ts';
import styles from './menu.module.css';

export function Menu({ places, path }: { places: readonly Place[]; path: string }) {
  const more = places.filter(({ menu }) => menu === 'more');
  const [wanted, setWanted] = useState<boolean>();
  // Who is at one of its pages sees where that is.
  const open = wanted ?? more.some(({ to }) => isAt(path, to));
  return (
    <>
      {places
        .filter(({ menu }) => menu === true)
        .map((place) => (
          <Entry key={place.to} place={place} path={path} />
        ))}
      {more.length > 0 && (
        <UnstyledButton className={styles.place} aria-expanded={open} onClick={() => setWanted(!open)}>
          <IconChevronDown size={17} stroke={1.7} className={styles.arrow} />
          More
        </UnstyledButton>
      )}
      {open && more.map((place) => <Entry key={place.to} place={place} path={path} />)}
    </>
  );
}

function Entry({ place: { label, to, icon: Icon }, path }: { place: Place; path: string }) {
  return (
    <Link
      to={to}
      // Below it is where `data-at` says so: /agents is not where one is at /agents/mine.
      activeOptions={{ exact: true }}
      className={styles.place}
      data-at={(to === '/' ? path === '/' : isAt(path, to)) || undefined}
    >
      <Icon size={17} stroke={1.7} />
      {label}
    </Link>
  );
}

/** /agents is not where one is at /agents/mine. */
function isAt(path: string, to: string): boolean {
  if (to === '/agents' && path.startsWith('/agents/mine')) return false;
  return path === to || path.startsWith(`${to}/`);
}

// The six areas: at a desk in a column, with the pages of the area where one is below it; on a phone in a bar
// at the bottom, with those pages in a row under the header.
import { Link } from '@tanstack/react-router';
import { useCurrentInView } from '../kit/current-in-view.ts';
import { InboxCount } from '../pauses/inbox-count.tsx';
import { useSession } from '../session/session.ts';
import { AREA_ICONS } from './area-icons.ts';
import { type Area, type Place, areasFor, placeOf } from './nav.ts';
import styles from './menu.module.css';

export function Menu({ path }: { path: string }) {
  const session = useSession();
  const areas = areasFor(session);
  const at = placeOf(areas, path);
  return (
    <nav aria-label="Menu" className={styles.menu}>
      {areas.map((area) => (
        <div key={area.id} className={styles.area}>
          <AreaLink area={area} isAt={area === at?.area} counts={session.authenticated && area.id === 'inbox'} />
          {area === at?.area && <Pages area={area} at={at.page} className={styles.below} />}
        </div>
      ))}
    </nav>
  );
}

function AreaLink({ area: { id, label, pages }, isAt, counts }: { area: Area; isAt: boolean; counts: boolean }) {
  const Icon = AREA_ICONS[id];
  const first = shown(pages)[0]?.to ?? pages[0]?.to ?? '/';
  return (
    <Link to={first} activeOptions={{ exact: true, includeSearch: false }} className={styles.link} data-at={isAt || undefined}>
      <span className={styles.icon}>
        <Icon size={18} stroke={1.7} />
        {counts && <InboxCount />}
      </span>
      {label}
    </Link>
  );
}

/** The pages of the area where one is, on a phone. */
export function Row({ path }: { path: string }) {
  const at = placeOf(areasFor(useSession()), path);
  const row = useCurrentInView<HTMLElement>(at?.page.to ?? '');
  if (!at || shown(at.area.pages).length < 2) return null;
  return (
    <nav aria-label={at.area.label} className={styles.row} ref={row}>
      <Pages area={at.area} at={at.page} />
    </nav>
  );
}

function Pages({ area, at, className }: { area: Area; at: Place; className?: string | undefined }) {
  const all = shown(area.pages);
  if (all.length < 2) return null;
  const pages = all.map(({ label, to }) => (
    <Link
      key={to}
      to={to}
      activeOptions={{ exact: true, includeSearch: false }}
      className={styles.page}
      data-at={to === at.to || undefined}
      {...(to === at.to && { 'aria-current': 'page' as const })}
    >
      {label}
    </Link>
  ));
  return className === undefined ? pages : <div className={className}>{pages}</div>;
}

const shown = (pages: readonly Place[]): readonly Place[] => pages.filter(({ hidden }) => !hidden);

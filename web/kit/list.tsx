// A table of records, page by page. On a phone or a small tablet each record is a card.
import { Button, Group, Table, Text } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { useEffect, useState, type ReactNode } from 'react';
import type { Pages } from '../api/query.ts';
import { useSeenFirst } from './seen-first.ts';
import styles from './list.module.css';

export interface Column<T> {
  head: string;
  cell: (item: T) => ReactNode;
  /** A number, or actions: at the end of the line. */
  end?: true;
  /** Takes the room that the others leave. */
  wide?: true;
}

export interface ListProps<T> {
  /** What the records are, for who does not see them: "Runs". */
  label: string;
  pages: Pages<T> | readonly T[];
  columns: Column<T>[];
  keyOf: (item: T) => string;
  /** Shown where there is nothing. */
  empty: ReactNode;
}

/** Records of a list that is here as a whole; the others follow when it is scrolled. */
const AT_ONCE = 40;
/** Rows of a window. */
const SEEN = 16;

function cut<T>(all: readonly T[], shown: number, loadMore: () => void): Pages<T> {
  return { items: all.slice(0, shown), hasMore: all.length > shown, isLoadingMore: false, loadMore };
}

/** Its rows and cells are plain elements: there are hundreds, and each component costs some. */
export function List<T>({ label, pages, columns, keyOf, empty }: ListProps<T>) {
  const [shown, setShown] = useState(AT_ONCE);
  const paged = 'items' in pages ? pages : cut(pages, shown, () => setShown(shown + AT_ONCE));
  const { items } = paged;
  const rows = useSeenFirst(items, SEEN);
  if (items.length === 0) return empty;
  return (
    <div>
      <Table className={styles.list ?? ''} aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ head, end }) => (
              <th key={head} scope="col" {...(end && { 'data-end': true })}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((item) => (
            <tr key={keyOf(item)}>
              {columns.map(({ head, cell, end, wide }) => (
                <td key={head} data-head={head} {...(end && { 'data-end': true })} {...(wide && { 'data-wide': true })}>
                  <div>{cell(item)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
      {paged.hasMore && rows.length >= items.length && <More key={items.length} pages={paged} />}
    </div>
  );
}

/** Reads on when it is scrolled to; the button is for who uses the keyboard. */
export function More({ pages }: { pages: Pick<Pages<unknown>, 'isLoadingMore' | 'loadMore'> }) {
  const { ref, entry } = useIntersection({ rootMargin: '400px' });
  const { isLoadingMore, loadMore } = pages;
  const isSeen = entry?.isIntersecting ?? false;
  useEffect(() => {
    if (isSeen && !isLoadingMore) loadMore();
  }, [isSeen, isLoadingMore]);
  return (
    <Group justify="center" p="md" ref={ref}>
      <Button variant="default" loading={isLoadingMore} onClick={loadMore}>
        Show more
      </Button>
    </Group>
  );
}

/** A second line of a cell. */
export function Under({ children }: { children: ReactNode }) {
  return (
    <Text size="xs" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }} dir="auto">
      {children}
    </Text>
  );
}

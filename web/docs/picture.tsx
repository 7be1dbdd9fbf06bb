import { createElement, type ReactNode } from 'react';
import type { Drawing } from './tree.ts';
import styles from './picture.module.css';

/** A drawing of ours in the colors of the theme; its text says what it shows. */
export function Picture({ alt, drawing }: { alt: string; drawing: Drawing }) {
  return (
    <figure className={styles.figure} tabIndex={0} role="region" aria-label="Picture">
      {createElement('svg', { ...drawing.attributes, role: 'img', 'aria-label': alt }, ...drawing.inside.map(drawn))}
      <figcaption>{alt}</figcaption>
    </figure>
  );
}

function drawn(part: Drawing | string): ReactNode {
  return typeof part === 'string' ? part : createElement(part.tag, part.attributes, ...part.inside.map(drawn));
}

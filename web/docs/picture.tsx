import { createElement, type ReactNode } from 'react';
import { Scrolled } from './scrolled.tsx';
import type { Drawing } from './tree.ts';
import styles from './picture.module.css';

/** Characters. */
const LONGEST_SHOWN = 300;

/** A drawing of ours in the colors of the theme. The text below it describes it. */
export function Picture({ alt, drawing }: { alt: string; drawing: Drawing }) {
  return (
    <figure className={styles.figure}>
      <Scrolled label="Picture" className={styles.scrolled}>
        {createElement('svg', { ...drawing.attributes, 'aria-hidden': true }, ...drawing.inside.map(drawn))}
      </Scrolled>
      <figcaption>
        {alt.length <= LONGEST_SHOWN ? (
          alt
        ) : (
          <details>
            <summary>In words</summary>
            {alt}
          </details>
        )}
      </figcaption>
    </figure>
  );
}

function drawn(part: Drawing | string): ReactNode {
  return typeof part === 'string' ? part : createElement(part.tag, part.attributes, ...part.inside.map(drawn));
}

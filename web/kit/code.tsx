import { Copy } from './copy.tsx';
import styles from './code.module.css';
import { number } from './number.ts';

/** Text as it is, with a button that copies it. Never interpreted. */
export function Code({ text, maxHeight, label }: { text: string; maxHeight?: number; label?: string }) {
  return (
    <div className={styles.code}>
      <div className={styles.scroll} style={{ maxHeight: maxHeight ?? 480 }} tabIndex={0} role="group" aria-label={label ?? 'Code'}>
        <pre dir="ltr">{text}</pre>
      </div>
      <div className={styles.copy}>
        <Copy value={text} label={label ? `Copy ${label}` : 'Copy'} />
      </div>
    </div>
  );
}

const MOST_SHOWN = 200_000;

/** A value as JSON; what is very long is cut, and copied whole. */
export function Json({ value, maxHeight, label }: { value: unknown; maxHeight?: number; label?: string }) {
  const text = JSON.stringify(value, null, 2) ?? 'undefined';
  if (text.length <= MOST_SHOWN) return <Code text={text} {...(maxHeight !== undefined && { maxHeight })} {...(label !== undefined && { label })} />;
  return (
    <>
      <Code text={`${text.slice(0, MOST_SHOWN)}\n…`} {...(maxHeight !== undefined && { maxHeight })} {...(label !== undefined && { label })} />
      The first {number(MOST_SHOWN)} of {number(text.length)} characters. <Copy value={text} label="Copy all of it" />
    </>
  );
}

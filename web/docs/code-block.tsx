import { Copy } from '../kit/copy.tsx';
import { Scrolled } from './scrolled.tsx';
import type { CodePart } from './tree.ts';
import styles from './code-block.module.css';

/** Code in colors. What is copied of a recorded session are its commands. */
export function CodeBlock({ language, parts }: { language: string; parts: readonly CodePart[] }) {
  const text = parts.map((part) => (typeof part === 'string' ? part : part[1])).join('');
  const copied = language === 'console' ? commandsIn(text) : text;
  return (
    <div className={styles.block}>
      <Scrolled label={language === '' ? 'Code' : `Code: ${language}`} className={styles.code}>
        <pre dir="ltr">
          <code>
            {parts.map((part, at) =>
              typeof part === 'string' ? (
                part
              ) : (
                <span key={at} className={styles[part[0]]}>
                  {part[1]}
                </span>
              ),
            )}
          </code>
        </pre>
      </Scrolled>
      <div className={styles.copy}>
        <Copy value={copied} label={language === 'console' ? 'Copy the commands' : 'Copy'} />
      </div>
    </div>
  );
}

function commandsIn(session: string): string {
  return session
    .split('\n')
    .filter((line) => line.startsWith('$ '))
    .map((line) => line.slice(2))
    .join('\n');
}

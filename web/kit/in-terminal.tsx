// The same by the command line tool: folded away, for who works there.
import { Code } from './code.tsx';
import styles from './page.module.css';

export function InTerminal({ command }: { command: string }) {
  return (
    <details className={styles.terminal} data-terminal>
      <summary>In the terminal</summary>
      <Code text={command} label="command" />
    </details>
  );
}

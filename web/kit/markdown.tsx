import { lazy, Suspense } from 'react';

/** Where its reader cannot be loaded, text is shown as it is. */
const View = lazy(() =>
  import('./markdown-view.tsx').then(
    ({ MarkdownView }) => ({ default: MarkdownView }),
    () => ({ default: Plain }),
  ),
);
const MOST_PLAIN = 20_000;

/**
 * Text of agents and people as Markdown; never as HTML. Of a very long text the beginning is shown, and the
 * rest on demand.
 */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<Plain text={text} />}>
      <View text={text} />
    </Suspense>
  );
}

function Plain({ text }: { text: string }) {
  return (
    <div dir="auto" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {text.length > MOST_PLAIN ? `${text.slice(0, MOST_PLAIN)}…` : text}
    </div>
  );
}

import { lazy, Suspense } from 'react';

const View = lazy(async () => ({ default: (await import('./markdown-view.tsx')).MarkdownView }));
/** Until the reader of Markdown is there. */
const PLAIN = 20_000;

/** Text of agents and people as Markdown; never as HTML. Of a very long text the beginning is shown, and the rest on demand. */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense
      fallback={
        <div dir="auto" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {text.slice(0, PLAIN)}
        </div>
      }
    >
      <View text={text} />
    </Suspense>
  );
}

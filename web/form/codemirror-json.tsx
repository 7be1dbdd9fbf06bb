// CodeMirror for JSON. Its style elements carry the nonce of the page: the content security policy allows no
// others.
import { json } from '@codemirror/lang-json';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import { basicSetup, EditorView } from 'codemirror';
import { useEffect, useRef } from 'react';
import { styleNonce } from '../kit/nonce.ts';
import { same } from './branches.ts';
import { type JsonRead, readJson, writeJson } from './json-text.ts';

export interface CodeMirrorJsonProps {
  value: unknown;
  onRead: (read: JsonRead) => void;
  label: string;
  disabled: boolean;
}

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--mantine-primary-color-light-color)' },
  { tag: tags.string, color: 'var(--mantine-color-teal-light-color)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--mantine-color-orange-light-color)' },
]);

const look = EditorView.theme({
  '&': { border: '1px solid var(--mantine-color-default-border)', borderRadius: 'var(--mantine-radius-md)', fontSize: '13px', overflow: 'hidden' },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', maxHeight: '60vh', minHeight: '8rem' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-gutters': { background: 'transparent', color: 'var(--mantine-color-dimmed)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'transparent' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--mantine-primary-color-light)' },
});

export function CodeMirrorJson({ value, onRead, label, disabled }: CodeMirrorJsonProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef({ value, onRead });
  useEffect(() => {
    latest.current = { value, onRead };
  });
  useEffect(() => {
    if (!place.current) return undefined;
    const made = new EditorView({
      parent: place.current,
      doc: writeJson(latest.current.value),
      extensions: [
        EditorView.cspNonce.of(styleNonce()),
        basicSetup,
        json(),
        look,
        syntaxHighlighting(colors),
        EditorView.lineWrapping,
        EditorView.editable.of(!disabled),
        EditorView.contentAttributes.of({ 'aria-label': label, ...(disabled && { 'aria-readonly': 'true' }) }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !update.transactions.some((one) => one.isUserEvent('svc.set'))) latest.current.onRead(readJson(update.state.doc.toString()));
        }),
      ],
    });
    view.current = made;
    return () => made.destroy();
  }, [disabled, label]);
  useEffect(() => {
    const shown = view.current;
    if (!shown) return;
    const read = readJson(shown.state.doc.toString());
    // A broken text stays, so that it can be mended.
    if ('problem' in read || same(read.value, value)) return;
    shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert: writeJson(value) }, userEvent: 'svc.set' });
  }, [value]);
  return <div ref={place} dir="ltr" />;
}

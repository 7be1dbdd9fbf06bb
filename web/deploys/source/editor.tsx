// One file as text that can be changed. Loaded when a file is opened.
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { base } from '../../kit/codemirror.ts';
import styles from './source.module.css';

export interface EditorProps {
  path: string;
  /** What it begins with; another one is another editor (`key`). */
  text: string;
  readOnly: boolean;
  onChange: (text: string) => void;
  /** Ctrl or ⌘ with S. */
  onSave: () => void;
}

export function Editor({ path, text, readOnly, onChange, onSave }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef({ onChange, onSave });
  useEffect(() => {
    latest.current = { onChange, onSave };
  });
  useEffect(() => {
    let view: EditorView | undefined;
    let isGone = false;
    void base(path, `Text of ${path}`).then((extensions) => {
      if (isGone || !place.current) return;
      const save = { key: 'Mod-s', preventDefault: true, run: () => (latest.current.onSave(), true) };
      view = new EditorView({
        parent: place.current,
        state: EditorState.create({
          doc: text,
          extensions: [
            ...extensions,
            lineNumbers(),
            history(),
            drawSelection(),
            indentOnInput(),
            bracketMatching(),
            highlightActiveLine(),
            highlightSelectionMatches(),
            EditorState.tabSize.of(2),
            EditorState.readOnly.of(readOnly),
            // Tab indents; Escape, then Tab leaves the editor, as CodeMirror has it.
            keymap.of([save, indentWithTab, ...defaultKeymap, ...historyKeymap, ...searchKeymap]),
            EditorView.updateListener.of((update) => {
              if (update.docChanged) latest.current.onChange(update.state.doc.toString());
            }),
          ],
        }),
      });
    });
    return () => {
      isGone = true;
      view?.destroy();
    };
    // `text` is what it begins with.
  }, [path, readOnly]);
  return <div ref={place} className={styles.editor} dir="ltr" />;
}

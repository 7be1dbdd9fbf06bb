// Two texts in one column: what went and what came.
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { base } from '../../kit/codemirror.ts';
import styles from './source.module.css';

export interface DiffProps {
  path: string;
  before: string;
  after: string;
  label: string;
}

export function Diff({ path, before, after, label }: DiffProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let view: EditorView | undefined;
    let isGone = false;
    void base(path, label).then((extensions) => {
      if (isGone || !place.current) return;
      view = new EditorView({
        parent: place.current,
        state: EditorState.create({
          doc: after,
          extensions: [
            ...extensions,
            lineNumbers(),
            EditorView.lineWrapping,
            EditorState.readOnly.of(true),
            unifiedMergeView({ original: before, mergeControls: false, gutter: true, collapseUnchanged: { margin: 3, minSize: 6 } }),
          ],
        }),
      });
    });
    return () => {
      isGone = true;
      view?.destroy();
    };
  }, [path, before, after, label]);
  return <div ref={place} className={styles.diff} dir="ltr" />;
}

// The text of the rules. Problems are marked where they are; loaded when the page is opened.
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Text } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import type { RuleProblem } from '#contract/policy/policy-rules.ts';
import { base } from '../../kit/codemirror.ts';
import { cedar } from './cedar-language.ts';
import styles from './rules.module.css';

export interface RuleEditorProps {
  /** What it begins with; another one is another editor (`key`). */
  text: string;
  problems: readonly RuleProblem[];
  warnings: readonly RuleProblem[];
  onChange: (text: string) => void;
}

export function RuleEditor({ text, problems, warnings, onChange }: RuleEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef({ onChange, text });
  const marks = useRef({ problems, warnings });
  useEffect(() => {
    latest.current = { ...latest.current, onChange };
  });
  useEffect(() => {
    let isGone = false;
    void base('rules.cedar', 'Text of the rules').then((extensions) => {
      if (isGone || !place.current) return;
      view.current = new EditorView({
        parent: place.current,
        state: EditorState.create({
          doc: latest.current.text,
          extensions: [
            ...extensions,
            cedar,
            lineNumbers(),
            lintGutter(),
            history(),
            drawSelection(),
            bracketMatching(),
            highlightActiveLine(),
            EditorView.lineWrapping,
            EditorState.tabSize.of(2),
            // Tab indents; Escape, then Tab leaves the editor, as CodeMirror has it.
            keymap.of([indentWithTab, ...defaultKeymap, ...historyKeymap]),
            EditorView.updateListener.of((update) => {
              if (update.docChanged) latest.current.onChange(update.state.doc.toString());
            }),
          ],
        }),
      });
      mark(view.current, marks.current);
    });
    return () => {
      isGone = true;
      view.current?.destroy();
      view.current = null;
    };
  }, []);
  useEffect(() => {
    marks.current = { problems, warnings };
    if (view.current) mark(view.current, marks.current);
  }, [problems, warnings]);
  return <div ref={place} className={styles.editor} dir="ltr" />;
}

function mark(view: EditorView, { problems, warnings }: Pick<RuleEditorProps, 'problems' | 'warnings'>): void {
  const { doc } = view.state;
  const shown = (all: readonly RuleProblem[], severity: 'error' | 'warning') => all.map((one) => ({ ...placeIn(doc, one), severity, message: wordsOf(one) }));
  view.dispatch(setDiagnostics(view.state, [...shown(problems, 'error'), ...shown(warnings, 'warning')]));
}

/** The text may be another by now: a place beyond its end is its end. */
function placeIn(doc: Text, { line, column, length }: RuleProblem): { from: number; to: number } {
  const { from: begin, to: end } = doc.line(Math.min(line ?? 1, doc.lines));
  const from = Math.min(begin + (column ?? 1) - 1, end);
  return { from, to: Math.max(from, Math.min(from + (length ?? 0), end)) };
}

export function wordsOf({ message, help }: RuleProblem): string {
  return help === null ? message : `${message} (${help})`;
}

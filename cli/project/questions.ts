// Questions that a skill asks while `svc run` serves it: typed at the terminal, or how to answer without one.
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { TerminalQuestion } from '#contract/wire/author-process.ts';
import { forTerminal } from '../lib/output.ts';

export interface Terminal {
  input: Readable;
  output: Writable;
  /** Input is a terminal. */
  interactive: boolean;
}

/** One after the other: two prompts at once would mix. */
export function answerQuestions(terminal: Terminal, url: string): (child: ChildProcess) => void {
  let last: Promise<void> = Promise.resolve();
  return (child) => {
    child.on('message', (message) => {
      const question = TerminalQuestion.safeParse(message);
      if (question.success) last = last.then(() => put(terminal, url, child, question.data)).catch(() => undefined);
    });
  };
}

async function put(
  { input, output, interactive }: Terminal,
  url: string,
  child: ChildProcess,
  { question_id: id, skill, prompt }: TerminalQuestion,
): Promise<void> {
  output.write(`${forTerminal(`? ${skill} asks: ${prompt}`)}\n`);
  if (!interactive) {
    output.write(`  answer: curl -X POST ${url}/answers/${id} -H 'content-type: application/json' -d '{"answer":"…"}'\n`);
    return;
  }
  const gone = new AbortController();
  child.once('exit', () => gone.abort());
  const lines = createInterface({ input, output });
  try {
    const answer = await lines.question('> ', { signal: gone.signal });
    if (child.connected) child.send({ do: 'answer', question_id: id, answer });
  } finally {
    lines.close();
  }
}

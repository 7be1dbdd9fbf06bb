// Questions of skills, put to the person at the command line tool.
import { TerminalAnswer, type TerminalQuestion } from '../../../contract/wire/author-process.ts';
import type { LocalQuestion } from '../platform/local.ts';

export interface TerminalQuestions {
  /** Answered at the terminal; until then the question is open for others too. */
  ask(question: LocalQuestion): Promise<string>;
  hear(message: unknown): void;
}

export function terminalQuestions(): TerminalQuestions {
  const open = new Map<string, (answer: string) => void>();
  return {
    ask({ questionId, skill, prompt }) {
      const question: TerminalQuestion = { is: 'asked', question_id: questionId, skill, prompt };
      process.send?.(question);
      return new Promise((resolve) => open.set(questionId, resolve));
    },
    hear(message) {
      const answer = TerminalAnswer.safeParse(message);
      if (!answer.success) return;
      open.get(answer.data.question_id)?.(answer.data.answer);
      open.delete(answer.data.question_id);
    },
  };
}

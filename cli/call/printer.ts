// Prints the events of a run on standard error.
import type { z } from 'zod';
import {
  type AgentEvent,
  ArtifactRef,
  ErrorPayload,
  EVENT_PAYLOADS,
  type FailedPayload,
  ProgressPayload,
  TextDeltaPayload,
  ToolPayload,
} from '#contract/wire/events.ts';
import { faultText } from '../lib/errors.ts';
import { forTerminal, plain, type Output } from '../lib/output.ts';
import { artifactText, pairsOf, progressText, toolText, wordsOf } from '../runs/event-summary.ts';

export class Printer {
  readonly #output: Output;
  #inText = false;

  constructor(output: Output) {
    this.#output = output;
  }

  show({ kind, payload }: AgentEvent): void {
    const text = kind === 'text_delta' ? TextDeltaPayload.safeParse(payload) : undefined;
    if (text?.success) {
      this.#inText = true;
      return this.#output.raw(forTerminal(text.data.text));
    }
    const line = lineOf(kind, payload);
    if (line !== undefined) this.note(line);
  }

  note(line: string): void {
    this.end();
    this.#output.note(line);
  }

  /** Text that came in pieces ends with its line. */
  end(): void {
    if (this.#inText) this.#output.raw('\n');
    this.#inText = false;
  }
}

/** Questions are not among them: they are asked. */
function lineOf(kind: string, payload: Record<string, unknown>): string | undefined {
  const read = <T>(schema: z.ZodType<T>, line: (value: T) => string): string | undefined => {
    const parsed = schema.safeParse(payload);
    return parsed.success ? plain(line(parsed.data)) : undefined;
  };
  switch (kind) {
    case 'progress':
      return read(ProgressPayload, (progress) => `… ${progressText(progress)}`);
    case 'tool':
      return read(ToolPayload, (tool) => `⚙ ${toolText(tool)}`);
    case 'artifact':
      return read(ArtifactRef, (artifact) => `⬇ ${artifactText(artifact)}`);
    case 'error':
      return read(ErrorPayload, ({ message }) => `! ${message}`);
    case 'restarted':
      return '↻ its agent was lost; the skill may run again and starts from the beginning';
    default:
      // One that the author named; those of the platform have a place of their own.
      return kind in EVENT_PAYLOADS ? undefined : plain(`· ${wordsOf(kind)}${Object.keys(payload).length === 0 ? '' : `: ${pairsOf(payload)}`}`);
  }
}

export function failureMessage({ detail }: z.output<typeof FailedPayload>): string {
  return `The skill failed ${faultText(detail)}`;
}

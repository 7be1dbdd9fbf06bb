import { MAX_VALUE_BYTES } from '#contract/wire/limits.ts';

/** Of an answer that an agent gives. */
export function answerTooLarge(maxBytes: number = MAX_VALUE_BYTES): string {
  return `The answer of the agent is larger than ${maxBytes} bytes: let the skill write an artifact instead`;
}

// Sentences of the API as a page shows them. They are written for the tool as well: commands in them belong
// into the terminal, and names of states and kinds are words.

const COMMAND = /svc [a-z][a-z-]*(?: [a-z][a-z-]*)*(?: (?:[A-Z][A-Z_]+|--[a-z-]+))*/;
/** "List them: svc agents.", ': add one with "svc models set"', " (svc orgs list)": the rest is whole. */
const APART = new RegExp(String.raw`: ${COMMAND.source}(?=[.,]|$)| \(${COMMAND.source}\)|: [^:."]*"${COMMAND.source}"`, 'g');

export function withoutCommands(text: string): { text: string; command: string | undefined } {
  const words = text
    .replaceAll(APART, '')
    .split(/(?<=\.) /)
    // What can be said only by its command is said in the terminal.
    .filter((sentence) => !COMMAND.test(sentence))
    .join(' ');
  return { text: words, command: COMMAND.exec(text)?.[0] };
}

/** "enabled_private": enabled private. */
export const namesInWords = (text: string): string => text.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => name.replaceAll('_', ' '));

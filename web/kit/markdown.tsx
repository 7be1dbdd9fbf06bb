/** Text of agents and people as Markdown; never as HTML. */
export function Markdown({ text }: { text: string }) {
  return <div style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</div>;
}

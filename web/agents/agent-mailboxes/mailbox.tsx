export function Mailbox(_: { way?: string }) {
  return <p>Mailbox</p>;
}

export function Calls(_: { way?: string }) {
  return <p>Calls</p>;
}

export function Domains(_: { way?: string }) {
  return <p>Domains</p>;
}

export function Source(_: { way?: string }) {
  return <p>Source</p>;
}

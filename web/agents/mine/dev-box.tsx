export function DevBox(_: { way?: string }) {
  return <p>DevBox</p>;
}

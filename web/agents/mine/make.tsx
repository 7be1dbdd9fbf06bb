export function Make(_: { way?: string }) {
  return <p>Make</p>;
}

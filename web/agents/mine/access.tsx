export function Access(_: { way?: string }) {
  return <p>Access</p>;
}

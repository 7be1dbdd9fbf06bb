export function Auth(_: { way?: string }) {
  return <p>Auth</p>;
}

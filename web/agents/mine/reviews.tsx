export function Reviews(_: { way?: string }) {
  return <p>Reviews</p>;
}

// A user's workspace is one bucket. Its name says whose it is.
const PREFIX = 'usr:';

export function bucketOf(userId: string): string {
  return PREFIX + userId;
}

/** The user whose workspace it is; undefined for what is no user's. */
export function bucketOwner(bucket: string): string | undefined {
  return bucket.startsWith(PREFIX) && bucket.length > PREFIX.length ? bucket.slice(PREFIX.length) : undefined;
}

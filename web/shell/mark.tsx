/** The sign of svc: a call that goes in, is held, and goes on. public/assets/icon.svg is the same. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden>
      <rect width="32" height="32" rx="9" fill="var(--mark-ground)" />
      <path d="M22 9.5H13.5a3.7 3.7 0 0 0 0 7.4h5a3.3 3.3 0 0 1 0 6.6H10" fill="none" stroke="var(--mark-line)" strokeWidth="2.8" strokeLinecap="round" />
      <circle cx="23.4" cy="9.5" r="2.5" fill="var(--mark-end)" />
      <circle cx="8.6" cy="23.5" r="2.5" fill="var(--mark-end)" />
    </svg>
  );
}

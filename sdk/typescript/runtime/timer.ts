// Timers longer than the 24.8 days setTimeout can count.

const MAX_MS = 2 ** 31 - 1;

export interface Timer {
  cancel(): void;
}

export function after(ms: number, fire: () => void): Timer {
  if (ms <= MAX_MS) {
    const once = setTimeout(fire, ms);
    return { cancel: () => clearTimeout(once) };
  }
  let handle: NodeJS.Timeout;
  const arm = (left: number): void => {
    handle = setTimeout(() => (left > MAX_MS ? arm(left - MAX_MS) : fire()), Math.min(left, MAX_MS));
  };
  arm(ms);
  return { cancel: () => clearTimeout(handle) };
}

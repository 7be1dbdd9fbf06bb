import { type Dispatch, type SetStateAction, useState } from 'react';
import { useInBrowser } from './in-browser.ts';

/**
 * State that begins with what this tab keeps. Where a server renders, and until the browser has taken that
 * over, it is `before`.
 * @returns `known`: false until then
 */
export function useTabState<T>(kept: () => T, before: T): [state: T, set: Dispatch<SetStateAction<T>>, known: boolean] {
  const inBrowser = useInBrowser();
  const [known, setKnown] = useState(inBrowser);
  const [state, setState] = useState(() => (inBrowser ? kept() : before));
  if (inBrowser && !known) {
    setKnown(true);
    setState(kept());
  }
  return [state, setState, known];
}

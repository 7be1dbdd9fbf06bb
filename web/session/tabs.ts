// What tabs of one browser tell each other: someone signed in or out in one of them. Each then asks the API
// itself who is signed in.
const NAME = 'svc.session';

let channel: BroadcastChannel | undefined;

/** `out`: on purpose, so that the others leave what they show, too. */
export type SessionNews = { user: string | null; out: boolean };

export function tellTabs(news: SessionNews): void {
  open()?.postMessage(news);
}

/** @returns what ends it */
export function hearTabs(hear: (news: SessionNews) => void): () => void {
  const on = ({ data }: MessageEvent<SessionNews>): void => hear(data);
  const of = open();
  of?.addEventListener('message', on);
  return () => of?.removeEventListener('message', on);
}

function open(): BroadcastChannel | undefined {
  if (typeof BroadcastChannel === 'undefined') return undefined;
  return (channel ??= new BroadcastChannel(NAME));
}

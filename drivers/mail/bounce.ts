// Reports that a mail was not delivered (RFC 3464).
import PostalMime from 'postal-mime'; // see parse.ts

export interface Bounce {
  action: string;
  /** As 5.1.1 (RFC 3463). */
  status: string;
}

/** Undefined: it is no such report, or reports nothing. */
export async function bounceIn(raw: Buffer): Promise<Bounce | undefined> {
  const options = { maxNestingDepth: 10, forceRfc822Attachments: true, attachmentEncoding: 'utf8' } as const;
  const mail = await new PostalMime(options).parse(raw).catch(() => undefined);
  const report = mail?.attachments.find(({ mimeType }) => mimeType === 'message/delivery-status')?.content;
  if (typeof report !== 'string') return undefined;
  const text = report.slice(0, 65_536);
  const status = /^Status:[ \t]*([245]\.\d{1,3}\.\d{1,3})/im.exec(text)?.[1];
  const action = /^Action:[ \t]*(failed|delayed|delivered|relayed|expanded)/im.exec(text)?.[1];
  return status === undefined || action === undefined ? undefined : { action: action.toLowerCase(), status };
}

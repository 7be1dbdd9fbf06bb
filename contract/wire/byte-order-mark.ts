// Some editors begin a file with a byte order mark: it is no part of the text.

export const withoutMark = (text: string): string => text.replace(/^\uFEFF/, '');

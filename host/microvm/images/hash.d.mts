/** 24 hexadecimal digits; the border between two parts counts. */
export declare function hashOf(...parts: (string | Uint8Array)[]): string;

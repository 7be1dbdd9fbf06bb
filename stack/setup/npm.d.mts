export declare function watchNpm(report: (text: string) => void, onOffline: () => void): (line: string) => void;

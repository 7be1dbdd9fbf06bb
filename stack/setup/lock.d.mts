type Release = () => void;
export declare function tryLock(name: string): Promise<Release | undefined>;
export declare function lock(name: string, onWait?: () => void): Promise<Release>;
export declare function withLock<T>(name: string, work: () => Promise<T>, onWait?: () => void): Promise<T>;

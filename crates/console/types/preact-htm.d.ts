// What the console uses of the vendored view library.

/** Elements, as a template says them. */
export function html(strings: TemplateStringsArray, ...values: unknown[]): any;
export function render(what: unknown, place: Element | null): void;

export function useState(first?: null): [any, (next?: any) => void];
export function useState<T>(first?: T | (() => T)): [T, (next?: T | ((before: T) => T)) => void];
export function useEffect(work: () => void | (() => void), inputs?: readonly unknown[]): void;
export function useLayoutEffect(work: () => void | (() => void), inputs?: readonly unknown[]): void;
export function useMemo<T>(work: () => T, inputs: readonly unknown[]): T;
export function useRef(first?: null): { current: any };
export function useRef<T>(first: T): { current: T };

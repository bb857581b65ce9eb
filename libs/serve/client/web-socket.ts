/** What the live client needs of a WebSocket: the browser's own, or a class such as that of the package `ws`. */
export interface ClientSocket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  // biome-ignore lint/suspicious/noExplicitAny: the event classes of browsers and packages differ
  addEventListener(type: any, listener: (event: any) => void): void;
}

export type ClientSocketClass = new (url: string) => ClientSocket;

/** The browser's class; null where there is none (Node 20). */
export function globalSocketClass(): ClientSocketClass | null {
  const found = (globalThis as { WebSocket?: unknown }).WebSocket;
  return typeof found === 'function' ? (found as ClientSocketClass) : null;
}

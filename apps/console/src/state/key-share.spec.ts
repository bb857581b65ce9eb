import { shareKey } from './key-share.js';
import { apiKey } from './session.js';

/** The other end of the channel, and what was said to it. */
function channel() {
  const said: unknown[] = [];
  let listener: (event: MessageEvent) => void = () => undefined;
  return {
    said,
    hear: (data: unknown) => listener({ data } as MessageEvent),
    postMessage: (data: unknown) => void said.push(data),
    addEventListener: (_type: string, added: unknown) => {
      listener = added as typeof listener;
    },
  };
}

describe('the key between tabs', () => {
  const slot = new Map<string, string>();
  beforeAll(() => {
    Object.assign(globalThis, {
      sessionStorage: { setItem: (name: string, text: string) => void slot.set(name, text) },
    });
  });
  afterAll(() => {
    Reflect.deleteProperty(globalThis, 'sessionStorage');
  });

  it('is asked for by a tab without one, taken once, and given to those that ask', () => {
    apiKey.value = null;
    const other = channel();
    shareKey(other as unknown as BroadcastChannel);
    expect(other.said).toEqual([{ ask: true }]);
    other.hear({ ask: true });
    expect(other.said).toHaveLength(1);
    other.hear({ key: 'tp_first' });
    other.hear({ key: 'tp_second' });
    expect(apiKey.value).toBe('tp_first');
    expect([...slot.values()]).toEqual(['tp_first']);
    other.hear({ ask: true });
    expect(other.said).toEqual([{ ask: true }, { key: 'tp_first' }]);
  });
});

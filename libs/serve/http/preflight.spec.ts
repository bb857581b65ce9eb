import { Answer } from './answer.js';
import { createListener, type Listener } from './listener.js';
import { preflightHeaders } from './preflight.js';

const allowed = (names: string): string[] =>
  preflightHeaders({ 'access-control-request-headers': names })['access-control-allow-headers']!.split(', ');

describe('a preflight', () => {
  let listener: Listener;
  beforeAll(async () => {
    const handle = () => Answer.json({});
    listener = await createListener({
      routes: [
        { method: 'GET', path: '/read', open: true, handle },
        { method: 'POST', path: '/', open: true, handle },
        { method: 'POST', path: '/:chain', open: true, handle },
      ],
      ...{ accounts: null, host: '127.0.0.1', port: 0, errorBody: ({ code }) => ({ code }) },
      logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
  });
  afterAll(() => listener.close());

  const ask = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(listener.url + path, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST', ...headers },
    });
    return { status: answer.status, text: await answer.text(), told: (name: string) => answer.headers.get(name) };
  };

  /** What client libraries add to a request by themselves. */
  const clients = [
    'content-type,solana-client,x-api-key',
    'accept,cache-control,last-event-id,x-api-key',
    'content-type,infura-source,x-ethers-client',
    'traceparent,tracestate,baggage,sentry-trace',
    'X-Client-Version, X-Requested-With , X-Api-Key',
    'x-never-seen-before',
  ];

  it.each(clients)('allows %s, on every path, without credentials', async (asked) => {
    for (const path of ['/', '/eth', '/read', '/no/such/path']) {
      const answer = await ask(path, { 'access-control-request-headers': asked });
      expect([path, answer.status, answer.text]).toEqual([path, 204, '']);
      const names = answer.told('access-control-allow-headers')!.split(', ');
      for (const name of asked.toLowerCase().split(',')) expect(names).toContain(name.trim());
      expect(new Set(names).size).toBe(names.length);
      expect(answer.told('vary')).toContain('access-control-request-headers');
      expect(answer.told('access-control-allow-origin')).toBe('*');
      expect(answer.told('access-control-allow-credentials')).toBeNull();
    }
  });

  it('names the usual headers when none is asked for', async () => {
    const answer = await ask('/read', {});
    const names = answer.told('access-control-allow-headers')!.split(', ');
    for (const name of ['content-type', 'x-api-key', 'authorization', 'last-event-id']) expect(names).toContain(name);
    expect(answer.told('access-control-allow-methods')).toContain('GET');
    expect(answer.told('allow')).toBe('GET');
  });

  it('gives back names of headers alone', () => {
    const usual = allowed('');
    const odd = [
      'a b',
      'x:y',
      'x/y',
      '"x"',
      'x\u00e9',
      '',
      ' ',
      '(x)',
      'x=1',
      'x;y',
      'x@y',
      '{x}',
      'x\\y',
      'x\r\ny: z',
    ];
    for (const name of odd) expect([name, allowed(name)]).toEqual([name, usual]);
    expect(allowed(`${odd.join(',')},x-good`)).toEqual([...usual, 'x-good'].sort());
    expect(allowed('X-Api-Key,x-api-key')).toEqual(usual);
    expect(allowed("x-!#$%&'*+.^_`|~9")).toContain("x-!#$%&'*+.^_`|~9");
  });

  it('is asked for with a method: without it OPTIONS of no path is not found', async () => {
    const answer = await fetch(`${listener.url}/no/such/path`, { method: 'OPTIONS' });
    expect(answer.status).toBe(404);
  });
});

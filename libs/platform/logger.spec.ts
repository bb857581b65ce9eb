import { createLogger } from './logger.js';
import { Redactor } from './redactor.js';

const KEY = 'tp_live_0123456789abcdef';

function linesOf(format: 'json' | 'pretty', log: (logger: ReturnType<typeof createLogger>) => void): string[] {
  const lines: string[] = [];
  const redactor = new Redactor([KEY, 'quo"te\\d']);
  log(createLogger({ level: 'debug', format, redactor, write: (line) => lines.push(line) }));
  return lines;
}

describe.each(['json', 'pretty'] as const)('%s lines', (format) => {
  const leaks: [string, unknown][] = [
    ['a known secret', KEY],
    ['a known secret with quotes', 'quo"te\\d'],
    ['a secret inside a URL path', 'https://node.example/v2/AbCdEfGhIjKlMnOpQr'],
    ['credentials in a URL', 'http://default:hunter22@localhost:8123/'],
    ['a query parameter', 'wss://node.example/?apiKey=0123456789'],
    ['an Authorization header', { authorization: 'Bearer 0123456789abcdef' }],
    ['an x-api-key header', { headers: { 'x-api-key': '0123456789' } }],
    ['a password field', { password: 'hunter22' }],
    ['a key in a sentence', 'failed with apiKey=0123456789, retrying'],
  ];
  const hidden = /0123456789|hunter22|AbCdEfGh|quo\\*"te/;

  it.each(leaks)('hide %s', (_, value) => {
    const lines = linesOf(format, (logger) => {
      logger.info({ value }, 'as a field');
      logger.warn({}, typeof value === 'string' ? value : JSON.stringify(value));
      logger.error({ err: new Error(typeof value === 'string' ? value : JSON.stringify(value)) }, 'as an error');
      logger.child({ value }).debug({}, 'as a binding');
    });
    expect(lines).toHaveLength(4);
    for (const line of lines) {
      expect(line).not.toMatch(hidden);
      expect(line).toContain('[redacted]');
    }
  });

  it('leave ordinary values alone', () => {
    const address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
    const [line] = linesOf(format, (logger) =>
      logger.info({ address, url: 'http://127.0.0.1:4200', height: 5 }, 'token known'),
    );
    for (const part of [address, 'http://127.0.0.1:4200', '5', 'token known']) expect(line).toContain(part);
    expect(line).not.toContain('redacted');
  });
});

describe('json lines', () => {
  it('stay JSON after redaction, with the cause of an error', () => {
    const [line] = linesOf('json', (logger) => {
      logger.error({ err: new Error(`no ${KEY}`, { cause: new Error('https://u:p@h/') }), n: 1 }, `key "${KEY}"`);
    });
    const record = JSON.parse(line!);
    expect(record).toMatchObject({ level: 'error', n: 1, msg: 'key "[redacted]"' });
    expect(record.err.message).toContain('no [redacted]');
  });

  it.each(['json', 'pretty'] as const)('say of an error what and where, without a stack or a path (%s)', (format) => {
    const cause = Object.assign(new TypeError('no answer'), { code: 'ECONNRESET' });
    const [line] = linesOf(format, (logger) => logger.warn({ err: new Error('asked', { cause }) }, 'answered 503'));
    for (const part of ['asked', 'no answer', 'TypeError', 'libs/platform/logger.spec']) expect(line).toContain(part);
    for (const part of ['stack', '    at ', process.cwd(), 'node:internal', 'node_modules'])
      expect(line).not.toContain(part);
  });

  it('respect the level', () => {
    const lines: string[] = [];
    const logger = createLogger({ level: 'warn', format: 'json', write: (line) => lines.push(line) });
    logger.info({}, 'no');
    logger.warn({}, 'yes');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['yes']);
  });
});

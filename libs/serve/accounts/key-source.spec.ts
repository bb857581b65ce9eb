import { presentedKey } from './key-source.js';

describe('presentedKey', () => {
  const cases: [string, string[], string, string | null][] = [
    ['nothing', [], '', null],
    ['x-api-key', ['X-API-Key', 'a'], '', 'a'],
    ['bearer', ['authorization', 'Bearer b'], '', 'b'],
    ['bearer in any case', ['Authorization', 'bearer   b '], '', 'b'],
    ['apiKey', [], 'apiKey=c', 'c'],
    ['api_key', [], 'x=1&api_key=d', 'd'],
    ['x-api-key before bearer', ['authorization', 'Bearer b', 'x-api-key', 'a'], 'apiKey=c', 'a'],
    ['bearer before the query', ['authorization', 'Bearer b'], 'apiKey=c', 'b'],
    ['apiKey before api_key', [], 'api_key=d&apiKey=c', 'c'],
    ['an empty header is absent', ['x-api-key', ''], 'apiKey=c', 'c'],
    ['a blank header is absent', ['x-api-key', '  '], '', null],
    ['Basic is absent', ['authorization', 'Basic b'], 'api_key=d', 'd'],
    ['Bearer without a key is absent', ['authorization', 'Bearer '], 'apiKey=c', 'c'],
    ['a bare key in Authorization is absent', ['authorization', 'b'], '', null],
    ['an empty apiKey is absent', [], 'apiKey=&api_key=d', 'd'],
    ['a repeated parameter uses the first', [], 'apiKey=1&apiKey=2', '1'],
    ['a repeated parameter whose first is empty is absent', [], 'apiKey=&apiKey=2', null],
    ['a repeated header uses the first', ['x-api-key', '1', 'x-api-key', '2'], '', '1'],
    ['names of the query are exact', [], 'APIKEY=c&api-key=d', null],
    ['percent encoding is read', [], 'apiKey=a%2Bb', 'a+b'],
    ['broken percent encoding does no harm', [], 'apiKey=%zz&x=%', '%zz'],
  ];
  it.each(cases)('%s', (_name, rawHeaders, query, expected) => {
    expect(presentedKey({ rawHeaders, query })).toBe(expected);
  });

  it('takes the names of the query from its caller', () => {
    expect(presentedKey({ rawHeaders: [], query: 'api-key=x' }, ['apikey', 'api-key', 'api_key'])).toBe('x');
  });
});

import { splitFragment } from './session.js';

describe('the key in the fragment', () => {
  it.each([
    ['#key=tp_abc-_9', 'tp_abc-_9', '#/'],
    ['#key=tp_abc&go=/status', 'tp_abc', '#/status'],
    ['#key=tp_abc&go=//elsewhere.example', 'tp_abc', '#//elsewhere.example'],
    ['#key=tp_abc&go=javascript:1', 'tp_abc', '#/'],
    ['#key=', null, '#/'],
    ['#key=%20', null, '#/'],
  ])('%s', (fragment, key, rest) => expect(splitFragment(fragment)).toEqual({ key, rest }));

  it.each(['', '#', '#/', '#/token/eth/0xabc', '#/?sort=price&key=x'])('%p carries none and stays', (fragment) =>
    expect(splitFragment(fragment)).toEqual({ key: null, rest: fragment }),
  );
});

import { IsInt, IsOptional } from 'class-validator';
import { CandlesQuery, candleIntervals, TradesQuery } from '../rest/queries.js';
import { ParameterReader } from './parameter-reader.js';

describe('query reader', () => {
  const candles = new ParameterReader(CandlesQuery);
  const trades = new ParameterReader(TradesQuery);

  it('fills in the defaults', () => {
    expect(candles.read({})).toEqual({
      value: { interval: '1m', limit: 300, currency: 'usd', fill: false, continuous: false },
    });
    expect(trades.read({})).toEqual({ value: { limit: 50 } });
  });

  it('reads values as their kind and ignores what it does not know', () => {
    const given = {
      from: '1600000000000',
      to: '1700000000000',
      limit: '1000',
      fill: 'true',
      continuous: '0',
      interval: '1M',
      x: 'y',
    };
    expect(candles.read({ ...given, pool: '0xAB', currency: 'native', asOfBlock: '5' })).toEqual({
      value: {
        from: 1_600_000_000_000,
        to: 1_700_000_000_000,
        limit: 1000,
        fill: true,
        continuous: false,
        interval: '1M',
        pool: '0xAB',
        currency: 'native',
        asOfBlock: 5,
      },
    });
  });

  it('uses the first of a repeated parameter', () => {
    expect(trades.read({ limit: ['7', 'x'] })).toEqual({ value: { limit: 7 } });
    expect(trades.read({ limit: ['x', '7'] })).toEqual({ problem: 'limit must be a whole number from 1 to 200' });
  });

  it.each([
    ['limit', ['0', '201', '-1', '1.5', '1e2', '', ' 5', 'abc', '9'.repeat(30), '٣'], 'from 1 to 200'],
    [
      'from',
      ['-1', '0', '1700000000', 'yesterday', '', '8640000000000001', 'NaN', 'Infinity', '0x10'],
      'from must be a Unix time',
    ],
    ['to', ['-1', 'now', '1.0'], 'to must be a Unix time'],
    ['asOfBlock', ['-1', 'latest', '99999999999999999'], 'asOfBlock must be a block height'],
    ['cursor', ['a'.repeat(2049)], 'cursor must have at most 2048'],
  ])('refuses a wrong %s', (name, values, message) => {
    for (const value of values) {
      const outcome = trades.read({ [name]: value });
      expect('problem' in outcome ? outcome.problem : `accepted ${value}`).toContain(message);
    }
  });

  it('names the list of a choice', () => {
    for (const value of ['7m', '', '1H', 'constructor', '1m ']) {
      expect(candles.read({ interval: value })).toEqual({
        problem: `interval must be one of ${candleIntervals.join(', ')}`,
      });
    }
    expect(candles.read({ currency: 'eur' })).toEqual({ problem: 'currency must be one of usd, native' });
    expect(candles.read({ fill: 'yes' })).toEqual({ problem: 'fill must be true or false' });
  });

  it('refuses a class without rules, or with a rule that has no message of its own', () => {
    class Empty {}
    class Mute {
      @IsOptional()
      @IsInt()
      n?: number;
    }
    expect(() => new ParameterReader(Empty)).toThrow('has no rules');
    expect(() => new ParameterReader(Mute)).toThrow('needs its own message');
  });
});

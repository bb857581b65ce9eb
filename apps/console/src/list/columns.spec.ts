import { columns, nextSorting, screenerQuery } from './columns.js';

describe('sorting of the list', () => {
  it('turns round on the same column and begins with the largest on another', () => {
    const first = nextSorting({ column: 'volume', order: 'desc' }, 'price');
    expect(first).toEqual({ column: 'price', order: 'desc' });
    expect(nextSorting(first, 'price')).toEqual({ column: 'price', order: 'asc' });
    expect(nextSorting({ column: 'price', order: 'asc' }, 'price')).toEqual(first);
  });

  it('asks for every column differently', () => {
    const queries = columns.map(({ id }) => JSON.stringify(screenerQuery({ column: id, order: 'asc' })));
    expect(new Set(queries).size).toBe(columns.length);
    expect(screenerQuery({ column: 'change1h', order: 'asc' })).toEqual({
      sort: 'priceChange',
      window: '1h',
      order: 'asc',
    });
  });
});

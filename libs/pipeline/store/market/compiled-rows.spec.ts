import type { SectionSpec } from '#libs/pipeline/projections/section.js';
import { compileRows } from './compiled-rows.js';

const section: SectionSpec = {
  name: 'some',
  version: 1,
  groups: ['block'],
  member: 'trades',
  layout: 'rows',
  fields: [{ name: 'token', kind: 'id' }],
  write: () => {},
  read: () => [],
};

describe('compileRows', () => {
  it('refuses a column whose type its field cannot fill, and one from a field that is not there', () => {
    expect(() => compileRows(section, [{ name: 'token', type: 'uint32', from: 'token' }])).toThrow(
      'no column token of type uint32 from token',
    );
    expect(() => compileRows(section, [{ name: 'wallet', type: 'id', from: 'wallet' }])).toThrow('no column wallet');
  });

  it('refuses an optional field in the layout of columns', () => {
    const optional = { name: 'more', kind: 'optional', fields: [{ name: 'token', kind: 'id' }] } as const;
    expect(() => compileRows({ ...section, layout: 'columns', fields: [optional] }, [])).toThrow('more.token');
  });
});

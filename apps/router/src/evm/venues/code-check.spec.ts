import type { ExpectedCode } from '#libs/chain/chains/evm/expected-code.js';
import { CodeCheck, type CodeExpectation } from './code-check.js';

describe('the check of a contract’s code', () => {
  const expected: ExpectedCode = {
    ...{ hash: 'cd'.repeat(32), source: 'a package' },
    immutables: [[4_295, 32, 'factory']],
  };
  const question: CodeExpectation = {
    ...{ role: 'router', address: 'ab'.repeat(20), pin: null, expected },
    ...{ factory: '01'.repeat(20), wrappedNative: '02'.repeat(20) },
  };

  it.each([1, 4_295, 4_300])('says what code of %i bytes is that ends before its immutables do', (bytes) => {
    const problem = new CodeCheck('PINS').problem(question, '00'.repeat(bytes));
    expect(problem).toContain('which is not that of a package');
  });
});

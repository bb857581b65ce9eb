import { SolanaInstruction } from './instruction.js';
import { loggedData } from './logged-data.js';
import { SolanaTransaction } from './transaction.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function transaction(calls: readonly [program: string, depth: number][], logs: readonly string[]): SolanaTransaction {
  const instructions = calls.map(
    ([program, depth], i) => new SolanaInstruction(program, [], new Uint8Array(0), 0, depth > 1 ? i : -1, depth),
  );
  return new SolanaTransaction('', 1, false, [], 1, instructions, 0n, [], [], [], [], logs);
}

const texts = (tx: SolanaTransaction): string[][] =>
  tx.instructions.map((_, index) => loggedData(tx, index).map((bytes) => Buffer.from(bytes).toString()));

const invoke = (program: string, depth: number): string => `Program ${program} invoke [${depth}]`;
const data = (...fields: string[]): string => `Program data: ${fields.map(base64).join(' ')}`;
const success = (program: string): string => `Program ${program} success`;

describe('data lines', () => {
  const calls: [string, number][] = [
    ['R', 1],
    ['A', 2],
    ['T', 3],
    ['A', 2],
    ['A', 1],
  ];
  const logs = [
    ...[invoke('R', 1), data('r1'), invoke('A', 2), invoke('T', 3), data('t'), success('T'), data('a1', 'second')],
    ...['Program A consumed 10 of 20 compute units', success('A'), data('r2'), invoke('A', 2), success('A')],
    ...[`Program log: ${invoke('A', 2)}`, data('r3'), 'Program return: R AA==', success('R')],
    ...[invoke('A', 1), data('a3'), data('a4'), success('A')],
  ];

  it('belong to the call that wrote them, whatever it calls and whoever else does', () => {
    expect(texts(transaction(calls, logs))).toEqual([['r1', 'r2', 'r3'], ['a1'], ['t'], [], ['a3', 'a4']]);
  });

  it('are none of those behind the place where a log was cut', () => {
    const cut = [...logs.slice(0, 8), 'Log truncated'];
    expect(texts(transaction(calls, cut))).toEqual([['r1'], ['a1'], ['t'], [], []]);
    expect(texts(transaction(calls, []))).toEqual([[], [], [], [], []]);
  });

  it('are not those that a program writes as text', () => {
    const forged = [
      invoke('A', 1),
      `Program log: ${data('x')}`,
      'Program log: Program A success',
      data('a'),
      success('A'),
    ];
    expect(texts(transaction([['A', 1]], forged))).toEqual([['a']]);
  });
});

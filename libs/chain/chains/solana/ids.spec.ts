import { solanaIds } from './ids.js';
import { SYSTEM_PROGRAM, WRAPPED_SOL } from './programs.js';

describe('Solana ids', () => {
  const signature = '4pAEq48cQs'.padEnd(88, '2');

  it('are the hex of the bytes and go back to the same text', () => {
    expect(solanaIds.parseAddress(SYSTEM_PROGRAM)).toBe('0'.repeat(64));
    expect(solanaIds.parseAddress(WRAPPED_SOL)).toBe(
      '069b8857feab8184fb687f634618c035dac439dc1aeb3b5598a0f00000000001',
    );
    for (const text of [SYSTEM_PROGRAM, WRAPPED_SOL]) {
      expect(solanaIds.formatAddress(solanaIds.parseAddress(text)!)).toBe(text);
    }
    const id = solanaIds.parseTx(signature)!;
    expect(id).toHaveLength(128);
    expect(solanaIds.formatTx(id)).toBe(signature);
  });

  it('refuse texts of another length, another alphabet or another size in bytes', () => {
    for (const text of [
      '',
      '1'.repeat(31),
      '1'.repeat(33),
      'z'.repeat(44),
      WRAPPED_SOL.replace('S', '0'),
      `${WRAPPED_SOL}2`,
      signature,
    ]) {
      expect(solanaIds.parseAddress(text)).toBeNull();
    }
    for (const text of ['', WRAPPED_SOL, 'z'.repeat(88), '1'.repeat(65)]) expect(solanaIds.parseTx(text)).toBeNull();
    expect(() => solanaIds.formatAddress('0x12')).toThrow(RangeError);
  });
});

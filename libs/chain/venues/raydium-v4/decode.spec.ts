import { balancesOf, flowsOf, legsIn, recordedTransactions } from '#libs/chain/market-ports/solana/test/decoded.js';
import { raydiumV4 } from './decode.js';

describe('legs of Raydium AMM v4', () => {
  it('name the vaults that moved by their amounts in the recorded transactions', () => {
    let legs = 0;
    let vaults = 0;
    for (const [name, tx] of recordedTransactions()) {
      const found = legsIn(tx, raydiumV4);
      legs += found.length;
      for (const [vault, moved] of flowsOf(tx, found)) {
        const held = balancesOf(tx, vault)!;
        expect({ name, vault, moved: held.after - held.before }).toEqual({ name, vault, moved });
        vaults++;
      }
      for (const { stated } of found) expect(stated).toEqual({ vaults: [expect.any(String), expect.any(String)] });
    }
    expect([legs, vaults]).toEqual([41, 82]);
  });
});

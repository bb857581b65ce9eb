import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { routedSwaps } from '../src/solana/test/recorded-pool.js';
import { PlacedVenue } from './placed-venue.js';
import { SolanaWallet } from './solana-wallet.js';
import { COIN, type SolanaWorld } from './solana-world.js';

/**
 * A venue whose accounts change their layout while it is served: once the slot of the change is read, no quote is computed from
 * bytes that the router does not know, and a quote of before is not built; the venue is back with the slot that has its layout again.
 */
type Change = (account: SolanaAccount) => SolanaAccount;
const bytes =
  (by: (data: Buffer) => Uint8Array): Change =>
  (account) => ({ ...account, data: by(Buffer.from(account.data)) });

const BROKEN: readonly (readonly [string, Change])[] = [
  ['another tag', bytes((data) => Buffer.concat([Buffer.alloc(8, 0xee), data.subarray(8)]))],
  ['less of it', bytes((data) => data.subarray(0, data.length >> 2))],
  ['a tag alone', bytes((data) => data.subarray(0, 8))],
  ['zeros', bytes((data) => Buffer.alloc(data.length))],
  ['nothing in it', bytes(() => new Uint8Array(0))],
  ['another owner', (account) => ({ ...account, owner: COIN })],
];
const GROWN = bytes((data) => Buffer.concat([data, Buffer.alloc(64, 0xff)]));
const DOORS = ['/swap', '/swap-instructions'] as const;
const NO_ROUTE = [404, 'no_route'];

describe('a venue whose account layout changes', () => {
  let world: SolanaWorld;
  let wallet: SolanaWallet;
  beforeAll(async () => {
    wallet = await SolanaWallet.start();
    world = wallet.world;
  });
  afterAll(() => world?.close());

  /** From the next slot on the accounts are as a change leaves them; what is given back puts them back. */
  function change(addresses: readonly string[], by: Change): () => void {
    const { chain } = world.market;
    const before = addresses.map((address) => ({ address, account: chain.account(address)! }));
    for (const { address, account } of before)
      chain.edit({ kind: 'account', address, account: { ...account, ...by(account) } });
    return () => {
      for (const { address, account } of before) chain.edit({ kind: 'account', address, account });
    };
  }

  /** Status with the code of a refusal or the output of a quote. */
  async function answered(question: Record<string, string>): Promise<[number, string]> {
    const { status, body } = await world.quote(question);
    return [status, body.error ?? body.outAmount];
  }

  const ownQuestion = (label: string) => ({
    ...{ inputMint: COIN, outputMint: label === 'Tidepool AMM' ? world.mint('USDC') : wallet.curve() },
    ...{ amount: '1000000007', dexes: label },
  });
  const ownAccounts = (label: string): string[] => {
    const { pools, curves } = world.market.contents();
    return (label === 'Tidepool AMM' ? pools : curves).map(({ address }) => address);
  };
  const own = ['Tidepool AMM', 'Tidepool Launchpad'].flatMap((label) =>
    // The programs of our own know one length alone.
    [...BROKEN, ['more behind it', GROWN] as const].map(([name, by]) => [label, name, by] as const),
  );

  it.each(own)('%s, %s: neither quoted nor built, and both again with its own layout', async (label, _, by) => {
    const question = ownQuestion(label);
    const held = await wallet.quoted(question);
    const restore = change(ownAccounts(label), by);
    await world.settled();
    expect(await answered(question)).toEqual(NO_ROUTE);
    for (const door of DOORS) {
      const { status, body } = await wallet.build(door, held);
      expect([door, status, body.error, body.quoteId]).toEqual([door, 409, 'quote_moved', held.quoteId]);
    }
    restore();
    await world.settled();
    const again = await wallet.quoted(question);
    expect([again.outAmount, again.routePlan]).toEqual([held.outAmount, held.routePlan]);
    expect((await wallet.build('/swap', held)).status).toBe(200);
    expect(world.problems).toEqual([]);
  });

  it.each(BROKEN)('%s, before the router has read it: what is quoted still is not built', async (_, by) => {
    const question = ownQuestion('Tidepool AMM');
    const held = await wallet.quoted(question);
    const restore = change(ownAccounts('Tidepool AMM'), by);
    // Both blocks are made in one turn: the node that simulates knows of the change before anything is read again.
    for (let n = 0; n < 2; n++) world.market.slot({ traders: false });
    const { status, body } = await wallet.build('/swap', held);
    expect(status).toBe(409);
    expect(['quote_moved', 'simulation_failed']).toContain(body.error);
    restore();
    await world.settled();
  });

  it('one pool of several: routes go over the others, to the unit', async () => {
    const question = { ...ownQuestion('Tidepool AMM'), maxHops: '4' };
    for (const [, by] of BROKEN) {
      const { routePlan } = await wallet.quoted(question);
      const best: string = routePlan[0].swapInfo.ammKey;
      const restore = change([best], by);
      await world.settled();
      const { quote } = await wallet.swappedAsQuoted(question);
      const used = quote.routePlan.map(({ swapInfo }: { swapInfo: { ammKey: string } }) => swapInfo.ammKey);
      expect(used).not.toContain(best);
      restore();
      await world.settled();
    }
  });

  it('other venues are quoted and built meanwhile, and the row of the venue stays listed', async () => {
    const restore = change(ownAccounts('Tidepool AMM'), BROKEN[0]![1]);
    await world.settled();
    await wallet.swappedAsQuoted({ ...ownQuestion('Tidepool Launchpad'), amount: '1000003' });
    const { venues } = (await world.get('/venues')).body;
    const row = venues.find(({ label }: { label: string }) => label === 'Tidepool AMM');
    expect(row).toMatchObject({ servable: true, status: 'live' });
    restore();
    await world.settled();
  });

  it.each(routedSwaps())('%s: quoted as its deployed program has it, or not at all', async (venue, swaps) => {
    const placed = await PlacedVenue.place(world, venue, swaps);
    await world.settled();
    const known = (): [number, string] => [200, String(placed.out())];
    expect(await answered(placed.question)).toEqual(known());
    const [pool, ...others] = placed.owned() as [string, ...string[]];
    const cases = [pool, ...others].flatMap((address) => BROKEN.map(([name, by]) => [name, address, by] as const));
    // Programs lengthen their accounts at the end: nothing that was there before means something else then.
    for (const [name, address, by] of [...cases, ['more behind it', pool, GROWN] as const]) {
      const restore = change([address], by);
      await world.settled();
      const answer = await answered(placed.question);
      const may = answer[0] === 200 && (address !== pool || by === GROWN) ? known() : NO_ROUTE;
      expect([name, address, ...answer]).toEqual([name, address, ...may]);
      restore();
      await world.settled();
      expect([name, address, ...(await answered(placed.question))]).toEqual([name, address, ...known()]);
    }
    expect(world.problems).toEqual([]);
  });
});

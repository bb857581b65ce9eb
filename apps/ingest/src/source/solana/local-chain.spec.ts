import { Keypair, SystemProgram } from '@solana/web3.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { TIDEPOOL_AMM, TIDEPOOL_LAUNCHPAD } from '#libs/chain/chains/solana/tidepool-programs.js';
import { metaplexAddress } from '#libs/chain/chains/solana/token/metaplex.js';
import { localTidepoolLaunchpad } from '#libs/chain/launchpads/tidepool/launchpad.js';
import type { SolanaLaunchpad } from '#libs/chain/market-ports/solana/venue.js';
import { localTidepoolAmm } from '#libs/chain/venues/tidepool-amm/venue.js';
import type { Hex } from '#libs/core/ids.js';
import { createMint, createTokenAccount, mintTo, transferTokens } from '#libs/devkit/devnet/solana/test/token-calls.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import {
  addLiquidity,
  createCurve,
  curveAccounts,
  curveKeys,
  initPool,
  type PoolKeys,
  poolAccounts,
  poolKeys,
  removeLiquidity,
  swapExactIn,
} from '#programs/client.js';
import { executable } from '#programs/executable.js';
import { solanaTables } from './tables.js';
import { ChainWorld, eventsOf, hex, keyOf, RENT } from './test/chain-world.js';
import {
  burn,
  createMint2022,
  initializeMetadata,
  MEMO,
  memoCall,
  metaplexAccount,
  metaplexBytes,
  setAuthority,
  setTransferFee,
  updateField,
  updateMetadataAuthority,
} from './test/token-2022-calls.js';
import { NOBODY } from './transfers.js';

/** The real token programs, our own pools and curves, on a local chain that is read over its JSON-RPC. */
const amm = solanaIds.parseAddress(TIDEPOOL_AMM)!;
const launchpad = solanaIds.parseAddress(TIDEPOOL_LAUNCHPAD)!;

/** A memo that names a mint is taken for a launch: any token can be brought before the decoder in a real transaction. */
const namedInMemo: SolanaLaunchpad = {
  venue: 'memo',
  dex: 'Memo',
  kind: 'curve',
  program: MEMO,
  launchpad: 'memo',
  legs: () => [],
  launches: (tx, index) => {
    const token = Buffer.from(tx.instructions[index]!.data).toString();
    return [{ step: 'created', token, curve: TIDEPOOL_AMM, creator: tx.keys[0]! }];
  },
};
const tables = solanaTables([
  localTidepoolAmm,
  localTidepoolLaunchpad,
  { decoder: namedInMemo, pools: null, instructions: null },
]);

let world: ChainWorld;
let payer: Keypair;
let me: Hex;
beforeAll(async () => {
  world = await ChainWorld.start(tables);
  payer = world.payer;
  me = hex(payer.publicKey);
  world.chain.deploy(TIDEPOOL_AMM, executable('amm'));
  world.chain.deploy(TIDEPOOL_LAUNCHPAD, executable('launchpad'));
});
afterAll(() => world.chain.stop());

/** A mint and the payer's account with a balance of it. */
async function funded(amount: bigint, decimals = 6): Promise<{ mint: Keypair; account: Keypair }> {
  const [mint, account] = [Keypair.generate(), Keypair.generate()];
  await world.block(
    [
      ...createMint(payer, mint, decimals, RENT),
      ...createTokenAccount(payer, account, mint.publicKey, payer.publicKey, RENT),
      mintTo(mint.publicKey, account.publicKey, payer.publicKey, amount),
    ],
    [mint, account],
  );
  return { mint, account };
}

const meet = (mint: Keypair) => world.block([memoCall(payer, mint.publicKey.toBase58())]);

describe('pools of our own', () => {
  let pool: PoolKeys;
  let accounts: Map<Hex, Keypair>;
  let shares: Keypair;
  const liquidity = () => ({
    user: me,
    userA: hex(accounts.get(pool.mintA)!.publicKey),
    userB: hex(accounts.get(pool.mintB)!.publicKey),
    userShares: hex(shares.publicKey),
  });
  const swap = (mintIn: Hex, amount: bigint) => {
    const mintOut = mintIn === pool.mintA ? pool.mintB : pool.mintA;
    const trader = {
      user: me,
      userIn: hex(accounts.get(mintIn)!.publicKey),
      userOut: hex(accounts.get(mintOut)!.publicKey),
    };
    return swapExactIn(amm, poolAccounts(pool, mintIn), trader, amount, 1n);
  };
  const held = () => ({ reserve0: world.held(pool.vaultA), reserve1: world.held(pool.vaultB) });

  beforeAll(async () => {
    const [x, y] = [await funded(10_000_000_000n, 6), await funded(10_000_000_000n, 9)];
    accounts = new Map([x, y].map(({ mint, account }) => [hex(mint.publicKey), account]));
    pool = poolKeys(amm, hex(x.mint.publicKey), hex(y.mint.publicKey), me, 30);
    await world.block([initPool(amm, me, pool)]);
    shares = Keypair.generate();
    await world.block(createTokenAccount(payer, shares, keyOf(pool.shareMint), payer.publicKey, RENT), [shares]);
    const made = await world.block([addLiquidity(amm, pool, liquidity(), 900_000_000n, 1_700_000_000n, 1n)]);
    // No trade yet: the log does not know the pool, only what moved.
    expect(new Set(made.events.map(({ kind }) => kind))).toEqual(new Set(['transfer']));
  });

  test('the first swap records tokens, pool and vaults; then reserves before the swap', async () => {
    const block = await world.block([swap(pool.mintA, 1_000_000n)]);
    expect(block.pools).toEqual([
      {
        pool: pool.id,
        venue: 'tidepool-amm',
        kind: 'constant-product',
        token0: pool.mintA,
        token1: pool.mintB,
        feePpm: 3000,
        tickSpacing: 0,
        created: false,
      },
    ]);
    expect(block.tokens.map(({ token, totalSupply, symbol }) => ({ token, totalSupply, symbol }))).toEqual(
      [pool.mintA, pool.mintB].map((token) => ({ token, totalSupply: 10_000_000_000n, symbol: null })),
    );
    expect(block.tokens.map(({ decimals }) => decimals).sort()).toEqual([6, 9]);
    expect(eventsOf(block, 'pool-vaults')).toMatchObject([{ pool: pool.id, vault0: pool.vaultA, vault1: pool.vaultB }]);
    expect(eventsOf(block, 'vaults')).toMatchObject([{ pool: pool.id, ...held() }]);
    const [done] = eventsOf(block, 'swap');
    expect(done).toMatchObject({ pool: pool.id, amount0: 1_000_000n, sender: me, recipient: me, after: null });
    expect(done!.amount1).toBe(held().reserve1! - 1_700_000_000n);
    expect(eventsOf(block, 'authority').filter(({ token }) => token === pool.mintA)).toMatchObject([
      { role: 'mint', authority: me },
      { role: 'freeze', authority: null },
      { role: 'metadata', authority: null },
    ]);
    expect(eventsOf(block, 'metadata')[0]).toMatchObject({
      uri: null,
      standard: 'token',
      transferFeeBps: 0,
      extensions: [],
    });
    const moved = eventsOf(block, 'transfer');
    expect(moved.sort((a, b) => (a.token < b.token ? -1 : 1))).toMatchObject([
      { token: pool.mintA, from: me, to: pool.id, amount: 1_000_000n },
      { token: pool.mintB, from: pool.id, to: me, amount: -done!.amount1 },
    ]);
    encodeBlocksGroup({ ...block, kind: 'block', chain: 'sol', epoch: 1, seq: 1 });
  });

  test('later swaps, liquidity and donations tell the reserves and record nothing again', async () => {
    for (const [instructions, swaps] of [
      [[swap(pool.mintB, 5_000_000n), swap(pool.mintA, 3_000_000n)], 2],
      [[addLiquidity(amm, pool, liquidity(), 1_000_000n, 10_000_000n, 1n)], 0],
      [[removeLiquidity(amm, pool, liquidity(), 1000n, 1n, 1n)], 0],
    ] as const) {
      const block = await world.block(instructions);
      expect([block.tokens, block.pools]).toEqual([[], []]);
      expect(eventsOf(block, 'vaults')).toMatchObject([{ pool: pool.id, ...held() }]);
      expect(eventsOf(block, 'swap')).toHaveLength(swaps);
      if (swaps > 0) expect(block.events.map(({ kind }) => kind).slice(0, 3)).toEqual(['vaults', 'swap', 'swap']);
    }
    const account = accounts.get(pool.mintA)!.publicKey;
    const donated = await world.block([transferTokens(account, keyOf(pool.vaultA), payer.publicKey, 77n)]);
    expect(eventsOf(donated, 'vaults')).toMatchObject([{ pool: pool.id, reserve0: held().reserve0, reserve1: null }]);
    expect(eventsOf(donated, 'transfer')).toMatchObject([{ token: pool.mintA, from: me, to: pool.id, amount: 77n }]);
  });

  test('a rolled back pool is recorded again', async () => {
    const { slot } = world.chain.slot();
    world.decoding.rollback(0);
    const block = await world.block([swap(pool.mintA, 1_000_000n)]);
    expect(block.height).toBeGreaterThan(slot);
    expect(block.pools).toHaveLength(1);
    expect(block.tokens).toHaveLength(2);
  });
});

test('a curve is a pool whose price and reserves are stated; its launch is told', async () => {
  const quote = await funded(1_000_000_000_000n);
  const mint = Keypair.generate();
  const curve = curveKeys(launchpad, hex(mint.publicKey), hex(quote.mint.publicKey));
  const launch = {
    creator: me,
    virtualQuote: 30_000_000_000n,
    feeBps: 100,
    poolFeeBps: 30,
    name: 'N',
    symbol: 'S',
    uri: 'u',
  };
  const created = await world.block([createCurve(launchpad, curve, launch)], [mint]);
  expect(eventsOf(created, 'launch')).toMatchObject([
    { launchpad: 'tidepool', step: 'created', token: curve.mint, curve: curve.id, party: me, progressPpm: 0 },
  ]);
  // The mint has no metadata: the launchpad keeps them.
  expect(created.tokens).toMatchObject([{ token: curve.mint, name: 'N', symbol: 'S' }]);
  expect(created.tokens).toHaveLength(1);
  expect(eventsOf(created, 'metadata')).toMatchObject([{ token: curve.mint, uri: 'u' }]);
  expect(eventsOf(created, 'authority')).toMatchObject([
    { token: curve.mint, role: 'mint', authority: null },
    { role: 'freeze', authority: null },
    { role: 'metadata', authority: null },
  ]);

  const account = Keypair.generate();
  await world.block(createTokenAccount(payer, account, mint.publicKey, payer.publicKey, RENT), [account]);
  const trader = { user: me, userIn: hex(quote.account.publicKey), userOut: hex(account.publicKey) };
  const bought = await world.block([
    swapExactIn(launchpad, curveAccounts(curve, curve.quoteMint), trader, 1_000_000_000n, 1n),
  ]);
  const quoteIs0 = curve.quoteMint < curve.mint;
  expect(bought.pools).toMatchObject([{ pool: curve.id, venue: 'tidepool', kind: 'curve', feePpm: 10_000 }]);
  expect(bought.tokens.map(({ token }) => token)).toEqual([curve.quoteMint]);
  const [reserves] = eventsOf(bought, 'vaults');
  const [done] = eventsOf(bought, 'swap');
  const tokens = quoteIs0 ? -done!.amount1 : -done!.amount0;
  const real = quoteIs0 ? reserves!.reserve0 : reserves!.reserve1;
  // The vault holds the fee in addition to what was raised.
  expect(real! > 0n && real! < world.held(curve.quoteVault)!).toBe(true);
  expect(tokens).toBe(world.held(trader.userOut));
  // price² = virtual quote / virtual base of the account, in the order of the tokens.
  const data = Buffer.from(world.chain.account(solanaIds.formatAddress(curve.id))!.data);
  const [virtualQuote, virtualBase] = [data.readBigUInt64LE(200), data.readBigUInt64LE(208)];
  const [numerator, denominator] = quoteIs0 ? [virtualBase, virtualQuote] : [virtualQuote, virtualBase];
  const { sqrtPriceX96, liquidity, tick } = done!.after!;
  expect([liquidity, tick]).toEqual([0n, 0]);
  expect(sqrtPriceX96 ** 2n * denominator <= numerator << 192n).toBe(true);
  expect((sqrtPriceX96 + 1n) ** 2n * denominator > numerator << 192n).toBe(true);
  const [progress] = eventsOf(bought, 'launch');
  expect(progress).toMatchObject({ step: 'progress', token: curve.mint, party: null });
  expect(progress!.progressPpm).toBeGreaterThan(0);
});

test('a Token-2022 mint tells its metadata, authorities, fee and extensions, and each change of them', async () => {
  const mint = Keypair.generate();
  const key = mint.publicKey;
  const before = await world.block(
    [
      ...createMint2022(payer.publicKey, key, 5, 125),
      initializeMetadata(payer.publicKey, key, 'Tide ～', 'TIDE', 'https://example.org/1'),
    ],
    [mint],
  );
  // Nothing needs the token yet.
  expect(before).toMatchObject({ txs: [], tokens: [], events: [] });
  const token = hex(key);
  const met = await meet(mint);
  expect(met.tokens).toEqual([{ token, decimals: 5, symbol: 'TIDE', name: 'Tide ～', totalSupply: 0n }]);
  const metadata = {
    token,
    uri: 'https://example.org/1',
    standard: 'token-2022',
    transferFeeBps: 125,
    extensions: ['metadataPointer', 'tokenMetadata', 'transferFeeConfig'],
  };
  expect(eventsOf(met, 'metadata')).toMatchObject([metadata]);
  expect(eventsOf(met, 'authority')).toMatchObject(
    ['mint', 'freeze', 'metadata'].map((role) => ({ token, role, authority: me })),
  );

  const other = Keypair.generate().publicKey;
  const changes = [
    [
      updateField(payer.publicKey, key, 2, 'https://example.org/2'),
      { kind: 'metadata', ...metadata, uri: 'https://example.org/2' },
    ],
    [
      setTransferFee(payer.publicKey, key, 250),
      { kind: 'metadata', ...metadata, uri: 'https://example.org/2', transferFeeBps: 250 },
    ],
    [
      setAuthority(TOKEN_2022_PROGRAM, key, 1, payer.publicKey, other),
      { kind: 'authority', token, role: 'freeze', authority: hex(other) },
    ],
    [
      setAuthority(TOKEN_2022_PROGRAM, key, 0, payer.publicKey, null),
      { kind: 'authority', token, role: 'mint', authority: null },
    ],
    [
      updateMetadataAuthority(payer.publicKey, key, null),
      { kind: 'authority', token, role: 'metadata', authority: null },
    ],
  ] as const;
  for (const [instruction, event] of changes) {
    const block = await world.block([instruction]);
    expect(block.events).toEqual([{ ...event, tx: 0, ordinal: 0 }]);
    expect(block.tokens).toEqual([]);
  }
  // What is no change of who may do what or where the token is described.
  expect(
    (await world.block([SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: other, lamports: RENT })])).txs,
  ).toEqual([]);
});

test('Metaplex metadata count for a token that names none itself, whatever is in them', async () => {
  const names = [
    { name: Buffer.from('Tide\0'), symbol: Buffer.from('TD'), uri: Buffer.from('https://example.org') },
    { name: Buffer.from([0xff, 0x41, 0xfe]), symbol: Buffer.from('\u202eTD\n'), uri: Buffer.alloc(0) },
  ];
  const read = [
    { symbol: 'TD', name: 'Tide' },
    { symbol: 'TD', name: '\ufffdA\ufffd' },
  ];
  for (const [n, texts] of names.entries()) {
    const { mint } = await funded(5n);
    const data = metaplexBytes(mint.publicKey, payer.publicKey, texts, n === 0, n === 0 ? [payer.publicKey] : []);
    world.chain.setAccount(metaplexAddress(mint.publicKey.toBase58()), metaplexAccount(data));
    const block = await meet(mint);
    expect(block.tokens).toEqual([{ token: hex(mint.publicKey), decimals: 6, totalSupply: 5n, ...read[n] }]);
    expect(eventsOf(block, 'metadata')).toMatchObject([
      { uri: n === 0 ? 'https://example.org' : null, standard: 'token' },
    ]);
    // The second one may not be changed any more.
    expect(eventsOf(block, 'authority').at(-1)).toMatchObject({ role: 'metadata', authority: n === 0 ? me : null });
  }
  // Metadata of another mint at that address count for nothing.
  const { mint } = await funded(5n);
  const foreign = metaplexBytes(Keypair.generate().publicKey, payer.publicKey, names[0]!);
  world.chain.setAccount(metaplexAddress(mint.publicKey.toBase58()), metaplexAccount(foreign));
  expect((await meet(mint)).tokens).toMatchObject([{ symbol: null, name: null, decimals: 6 }]);
});

test('a mint that is no account is a token without anything known', async () => {
  const mint = Keypair.generate();
  const block = await meet(mint);
  expect(block.tokens).toEqual([
    { token: hex(mint.publicKey), decimals: null, symbol: null, name: null, totalSupply: null },
  ]);
  expect(block.events.map(({ kind }) => kind)).toEqual(['launch']);
});

test('what is minted comes from nobody and what is burned goes to nobody, of any mint', async () => {
  const { mint, account } = await funded(1000n);
  const token = hex(mint.publicKey);
  const minted = await world.block([mintTo(mint.publicKey, account.publicKey, payer.publicKey, 11n)]);
  expect(minted.events).toEqual([{ kind: 'transfer', tx: 0, ordinal: 0, token, from: NOBODY, to: me, amount: 11n }]);
  expect(minted.txs).toHaveLength(1);
  const burned = await world.block([burn(TOKEN_PROGRAM, account.publicKey, mint.publicKey, payer.publicKey, 500n)]);
  expect(eventsOf(burned, 'transfer')).toMatchObject([{ token, from: me, to: NOBODY, amount: 500n }]);
});

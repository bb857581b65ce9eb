import { readSolanaTransaction } from '#libs/chain/chains/solana/read-transaction.js';
import { TIDEPOOL_AMM, TIDEPOOL_LAUNCHPAD } from '#libs/chain/chains/solana/tidepool-programs.js';
import { metaplexAddress, readMetaplex } from '#libs/chain/chains/solana/token/metaplex.js';
import { readMint } from '#libs/chain/chains/solana/token/mint.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { tidepoolLaunchpad } from '#libs/chain/launchpads/tidepool/decode.js';
import { tradesOf, venuesByProgram } from '#libs/chain/market-ports/solana/trades.js';
import type { SolanaLaunch, SolanaLeg } from '#libs/chain/market-ports/solana/venue.js';
import { tidepoolAmm } from '#libs/chain/venues/tidepool-amm/decode.js';
import { readLaunchEvent } from '#programs/client.js';
import { readPoolEvent } from '#programs/test/pool-data.js';
import { rpcCall } from '../test/rpc-call.js';
import { base58, MarketListing } from './market-listing.js';
import { MarketRunner } from './market-runner.js';
import { uriOf } from './market-setup.js';

/** The market in process: what its traders do, read back over the RPC as any reader would. */
const BLOCKS = 170;
const END = 1_800_000_000;
const SEED = 11;
const amm = tidepoolAmm(TIDEPOOL_AMM);
const launchpad = tidepoolLaunchpad(TIDEPOOL_LAUNCHPAD);
const venues = venuesByProgram([amm], [launchpad]);

interface RpcBlock {
  blockTime: number;
  blockhash: string;
  previousBlockhash: string;
  // biome-ignore lint/suspicious/noExplicitAny: the RPC's own shape.
  transactions: any[];
}

let market: MarketRunner;
let slots: number[] = [];
const blocks: RpcBlock[] = [];
const transactions: SolanaTransaction[] = [];
const call = async (method: string, ...params: unknown[]) => {
  const { result, error } = await rpcCall(market.chain.rpcUrl, method, ...params);
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
};

beforeAll(async () => {
  market = await MarketRunner.start({
    seed: SEED,
    historyBlocks: BLOCKS,
    historySeconds: 3 * 3600,
    historyEnd: END,
    autoSlots: false,
  });
  // One block behind the newest is confirmed: then all of the history is.
  market.slot({ traders: false });
  const tip = await call('getSlot', { commitment: 'confirmed' });
  slots = await call('getBlocks', 0, tip, { commitment: 'confirmed' });
  for (const slot of slots) {
    const config = { commitment: 'confirmed', maxSupportedTransactionVersion: 0, encoding: 'json', rewards: false };
    blocks.push(await call('getBlock', slot, config));
  }
  for (const { transactions: list } of blocks) for (const each of list) transactions.push(readSolanaTransaction(each));
});

afterAll(() => market.chain.stop());

/** What the programs logged, without asking which call did: trades alone. */
function statedTrades(tx: SolanaTransaction): object[] {
  return tx.logs.flatMap((line) => {
    if (!line.startsWith('Program data: ')) return [];
    const bytes = Buffer.from(line.slice(14), 'base64');
    const pool = readPoolEvent(bytes);
    if (pool?.kind === 'swap') {
      return [{ pool: pool.pool, wallet: pool.user, inputAmount: pool.input, outputAmount: pool.output }];
    }
    const curve = readLaunchEvent(bytes);
    if (curve?.kind !== 'trade') return [];
    return [{ pool: curve.curve, wallet: curve.user, inputAmount: curve.input, outputAmount: curve.output }];
  });
}

const flatten = <T>(read: (tx: SolanaTransaction, index: number) => readonly T[]): T[] =>
  transactions.filter(({ failed }) => !failed).flatMap((tx) => tx.instructions.flatMap((_, index) => read(tx, index)));

test('every trade decodes, to the pool, the wallet behind it and the unit', () => {
  let trades = 0;
  let routes = 0;
  for (const tx of transactions) {
    const read = tradesOf(tx, venues);
    const stated = tx.failed ? [] : statedTrades(tx);
    expect(
      read.map(({ pool, wallet, inputAmount, outputAmount }) => ({ pool, wallet, inputAmount, outputAmount })),
    ).toEqual(stated);
    trades += read.length;
    if (read.length > 1) routes++;
    for (const { inputMint, outputMint } of read) expect(inputMint).not.toBe(outputMint);
  }
  expect(trades).toBeGreaterThan(BLOCKS * 2);
  expect(routes).toBeGreaterThan(BLOCKS / 10);
  expect(transactions.filter(({ failed }) => failed).length).toBeGreaterThan(3);
  expect(transactions.filter(({ signerCount }) => signerCount > 1).length).toBeGreaterThan(10);
});

test('a launch is recorded from its creation to its pool, with the state of the curve after each trade', () => {
  const launches: SolanaLaunch[] = flatten((tx, index) =>
    tx.instructions[index]!.program === TIDEPOOL_LAUNCHPAD ? launchpad.launches(tx, index) : [],
  );
  const { curves, pools } = market.contents();
  const steps = (step: SolanaLaunch['step'], curve: string) =>
    launches.filter((launch) => launch.step === step && launch.curve === curve);
  expect(curves.map(({ status }) => status)).toContain('graduated');
  for (const { address, mint, status, pool } of curves) {
    expect(steps('created', address)).toMatchObject([{ token: mint }]);
    const done = status === 'graduated' ? [{ token: mint, pool }] : [];
    expect(steps('graduated', address)).toMatchObject(done);
    if (pool !== null) expect(pools.map((each) => each.address)).toContain(pool);
    const progress = steps('progress', address).map((each) => (each.step === 'progress' ? each.progressPpm : -1));
    if (status === 'graduated') expect(progress.at(-1)).toBe(1_000_000);
    expect(Math.min(...progress)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...progress)).toBeLessThanOrEqual(1_000_000);
  }
  const legs: SolanaLeg[] = flatten((tx, index) =>
    tx.instructions[index]!.program === TIDEPOOL_LAUNCHPAD ? launchpad.legs(tx, index) : [],
  );
  // The newest trade of every open curve left it as its account says.
  const listing = new MarketListing(SEED);
  for (const { address, status, quoteMint } of curves.filter((curve) => curve.status === 'trading')) {
    const last = legs.findLast(({ pool }) => pool === address);
    if (!last) continue;
    const account = Buffer.from(market.chain.account(address)!.data);
    const [virtualQuote, virtualBase, realQuote, remaining] = [200, 208, 216, 224].map((at) =>
      account.readBigUInt64LE(at),
    );
    const buys = last.inputMint === quoteMint;
    expect({ status, ...last.stated?.spot }).toEqual(
      buys
        ? { status, numerator: virtualBase, denominator: virtualQuote }
        : { status, numerator: virtualQuote, denominator: virtualBase },
    );
    const reserves = buys ? { input: realQuote, output: remaining } : { input: remaining, output: realQuote };
    expect(last.stated?.reserves).toEqual(reserves);
    const { keys } = listing.curve(curves.findIndex((curve) => curve.address === address));
    expect([...last.stated!.vaults!].sort()).toEqual([keys.baseVault, keys.quoteVault].map(base58).sort());
  }
});

test('the history ends at the present, is linked, has gaps, and prices stay near where they began', () => {
  expect(blocks.length).toBeGreaterThan(BLOCKS);
  for (const [i, block] of blocks.slice(1).entries()) {
    expect(block.previousBlockhash).toBe(blocks[i]!.blockhash);
    expect(block.blockTime).toBeGreaterThanOrEqual(blocks[i]!.blockTime);
  }
  expect(slots.at(-1)! - slots[0]!).toBeGreaterThanOrEqual(slots.length);
  expect(END - blocks.at(-1)!.blockTime).toBeLessThan(300);
  expect(END - blocks[0]!.blockTime).toBeGreaterThan(3 * 3600);
  const listing = new MarketListing(SEED);
  const held = (id: string): number => Number(Buffer.from(market.chain.account(base58(id))!.data).readBigUInt64LE(64));
  for (const { keys } of listing.pools) {
    const [a, b] = [keys.mintA, keys.mintB].map((id) => listing.tokens.find((token) => token.id === id)!);
    const price = (held(keys.vaultB) / 10 ** b!.decimals / (held(keys.vaultA) / 10 ** a!.decimals)) * b!.plan.usd;
    expect(price / a!.plan.usd).toBeGreaterThan(0.5);
    expect(price / a!.plan.usd).toBeLessThan(2);
  }
});

test('the coin costs the same in every dollar, and a token in every pool, within their fees', () => {
  const listing = new MarketListing(SEED);
  const held = (id: string): number => Number(Buffer.from(market.chain.account(base58(id))!.data).readBigUInt64LE(64));
  const named = (id: string) => listing.tokens.find((token) => token.id === id)!;
  /** Whole units of the second for one whole first, by the pool of the two. */
  const price = (first: string, second: string): number => {
    const pair = [first, second].map((symbol) => listing.token(symbol).id);
    const { keys } = listing.pools.find((pool) => pair.includes(pool.keys.mintA) && pair.includes(pool.keys.mintB))!;
    const [a, b] = [held(keys.vaultA), held(keys.vaultB)];
    const ofA = b / 10 ** named(keys.mintB).decimals / (a / 10 ** named(keys.mintA).decimals);
    return keys.mintA === pair[0] ? ofA : 1 / ofA;
  };
  const ways = [
    [price('SOL', 'USDC'), price('SOL', 'USDT') / price('USDC', 'USDT')],
    [price('DRFT', 'USDC'), price('DRFT', 'SOL') * price('SOL', 'USDC')],
    [price('CORM', 'SOL'), price('CORM', 'FTHM') * price('FTHM', 'SOL')],
  ];
  for (const [direct, around] of ways as [number, number][]) expect(Math.abs(direct / around - 1)).toBeLessThan(0.02);
});

test('an authority is given up in the middle of the history, and the others stand as planned', () => {
  const listing = new MarketListing(SEED);
  const authorities = (id: string): boolean[] => {
    const { data } = market.chain.account(base58(id))!;
    return [0, 46].map((at) => Buffer.from(data).readUInt32LE(at) === 1);
  };
  for (const { id, plan } of listing.tokens) {
    expect([plan.symbol, ...authorities(id)]).toEqual([
      plan.symbol,
      plan.mintAuthority === 'kept',
      plan.freezeAuthority === 'kept',
    ]);
  }
  const later = base58(listing.token('GROY').id);
  const renounced = blocks.flatMap(({ transactions: list }, height) =>
    list
      .map((each) => readSolanaTransaction(each))
      .filter((tx) => tx.instructions.some((each) => isRenouncing(each.data) && tx.accountKey(each, 0) === later))
      .map(() => height),
  );
  expect(renounced).toHaveLength(1);
  expect(renounced[0]).toBeGreaterThan(BLOCKS / 3);
  expect(renounced[0]).toBeLessThan((BLOCKS * 2) / 3);
});

test('names and symbols are where readers look: with the metadata program, or in the mint of Token-2022', () => {
  const account = (address: string) => market.chain.account(address)!;
  const textsOf = (mint: string) => readMetaplex(account(metaplexAddress(mint)));
  for (const { id, plan, program } of new MarketListing(SEED).tokens) {
    const mint = base58(id);
    const texts = {
      name: plan.name,
      symbol: plan.symbol,
      uri: uriOf(plan.symbol),
    };
    expect(account(mint).owner).toBe(base58(program));
    const read = readMint(account(mint));
    expect(read).toMatchObject({ decimals: plan.decimals, transferFeeBps: plan.token2022?.transferFeeBps ?? 0 });
    expect(plan.token2022 ? read?.metadata : textsOf(mint)).toMatchObject(texts);
  }
  for (const { mint, name, symbol } of market.contents().curves) expect(textsOf(mint)).toMatchObject({ name, symbol });
});

/** SetAuthority that removes the mint authority. */
const isRenouncing = (data: Uint8Array): boolean => Buffer.from(data).toString('hex') === '060000';

test('the same seed and end make the same chain', async () => {
  const made = { historyBlocks: 12, historySeconds: 600, historyEnd: END, autoSlots: false };
  const hashes: string[] = [];
  for (const seed of [5, 5, 6]) {
    const other = await MarketRunner.start({ ...made, seed });
    hashes.push(other.chain.blockhash());
    await other.chain.stop();
  }
  expect(hashes[0]).toBe(hashes[1]);
  expect(hashes[2]).not.toBe(hashes[0]);
});

test('slots with and without traders, forks that keep most transactions, funds for a wallet', async () => {
  const empty = market.slot({ traders: false });
  expect(empty.signatures).toEqual([]);
  const traded = [market.slot(), market.slot(), market.slot()];
  const sent = traded.flatMap(({ signatures }) => signatures);
  expect(sent.length).toBeGreaterThan(3);
  const made = market.chain.fork(3, { drop: 0 });
  expect(made.flatMap(({ signatures }) => signatures)).toEqual(sent);
  expect(made.at(-1)!.hash).not.toBe(traded.at(-1)!.hash);
  const wallet = base58('ab'.repeat(32));
  const { tokens } = market.contents();
  const funding = tokens.map(({ address }, i) => ({ mint: address, amount: 1_000n + BigInt(i) }));
  market.fund(wallet, { lamports: 3_000_000n, tokens: funding });
  expect(market.chain.account(wallet)?.lamports).toBe(3_000_000n);
  for (const program of [
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  ]) {
    const { value } = await call(
      'getTokenAccountsByOwner',
      wallet,
      { programId: program },
      { encoding: 'jsonParsed', commitment: 'processed' },
    );
    for (const { account } of value) {
      const { mint, tokenAmount } = account.data.parsed.info;
      const wanted = funding.find((each) => each.mint === mint)!;
      const fee = tokens.find(({ address }) => address === mint)!.symbol === 'UTOW' ? (wanted.amount + 99n) / 100n : 0n;
      expect([mint, tokenAmount.amount]).toEqual([mint, String(wanted.amount - fee)]);
      funding.splice(funding.indexOf(wanted), 1);
    }
  }
  expect(funding).toEqual([]);
  expect(() => market.fund(wallet, { tokens: [{ mint: wallet, amount: 1n }] })).toThrow('is no token that the market');
  expect(() => market.fund('x', {})).toThrow('wallet: not the base58 text of 32 bytes');
});

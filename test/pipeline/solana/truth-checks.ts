import { survivors } from '#apps/ingest/src/source/test/log-checks.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import type { Hex } from '#libs/core/ids.js';
import { uriOf } from '#libs/devkit/devnet/solana/market/market-setup.js';
import { pictureUri } from '#libs/devkit/devnet/token-picture.js';
import { checkpointView } from '#libs/pipeline/store/market/checkpoint.js';
import { MarketTables } from '#libs/pipeline/store/market/market-tables.js';
import { visible } from '#libs/pipeline/store/market/view.js';
import type { BlocksGroup, SwapEvent } from '#libs/protocol/blocks.js';
import type { TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';
import { idOf, readCurve } from '#programs/client.js';
import { accountData, ask, type ChainTruth, CONFIRMED, type TruthTrade } from './chain-truth.js';
import { groupsOf } from './restarted-source.js';
import type { SolanaPipeline } from './solana-pipeline.js';

/** What a pipeline at rest holds and serves, against what its chain says. Each check throws where they differ. */
const ZERO_ADDRESS = '00'.repeat(32);

export async function checkAll(pipeline: SolanaPipeline, truth: ChainTruth, restTokens: number): Promise<void> {
  const groups = await groupsOf(pipeline.log);
  checkLog(groups, truth);
  await checkTradesTable(pipeline, truth);
  await checkTransfersTable(pipeline, truth);
  await checkPools(pipeline, truth);
  await checkTokens(pipeline, groups);
  await checkAnswers(pipeline, truth, restTokens);
  await checkBalances(pipeline, truth);
  expect(pipeline.errors).toEqual([]);
}

/** One line a trade, from its wallet's side. */
const line = (t: Omit<TruthTrade, 'dex' | 'time'>): string =>
  `${t.block} ${t.tx}-${t.number} ${t.wallet} ${t.pool} ${t.inputAmount} ${t.inputMint} > ${t.outputAmount} ${t.outputMint}`;

/** The surviving blocks of the log are the chain's, and their swaps its trades. */
export function checkLog(groups: readonly BlocksGroup[], truth: ChainTruth): void {
  const blocks = survivors(groups);
  expect(blocks.map(({ height, hash, parentHash, time }) => `${height} ${hash} ${parentHash} ${time}`)).toEqual(
    truth.blocks.map(({ slot, hash, parentHash, time }) => `${slot} ${hash} ${parentHash} ${time}`),
  );
  const pools = new Map(blocks.flatMap((block) => block.pools).map((pool) => [pool.pool, pool]));
  expect([...pools.keys()].sort()).toEqual([...new Set(truth.trades.map(({ pool }) => pool))].sort());
  const swaps = blocks.flatMap(({ height: block, events, txs }) => {
    const numbers = new Map<number, number>();
    return events
      .filter((event): event is SwapEvent => event.kind === 'swap')
      .map(({ tx, pool, sender: wallet, amount0, amount1 }) => {
        const number = numbers.get(tx) ?? 0;
        numbers.set(tx, number + 1);
        const { token0, token1 } = pools.get(pool)!;
        const sides =
          amount0 > 0n
            ? { inputMint: token0, inputAmount: amount0, outputMint: token1, outputAmount: -amount1 }
            : { inputMint: token1, inputAmount: amount1, outputMint: token0, outputAmount: -amount0 };
        return line({ block, tx: txs[tx]!.id, number, wallet, pool, ...sides });
      });
  });
  expect(swaps).toEqual(truth.trades.map(line));
}

async function visibleRows<T>(pipeline: SolanaPipeline, sql: (database: string, where: string) => string) {
  const checkpoint = (await pipeline.checkpoint())!;
  const { database } = new MarketTables(pipeline.store, 'sol', checkpoint.generation);
  const { sql: where, params } = visible(checkpointView(checkpoint));
  return pipeline.store.query<T>(sql(database, where), params);
}

async function checkTradesTable(pipeline: SolanaPipeline, truth: ChainTruth): Promise<void> {
  type Row = Record<'block' | 'tx' | 'wallet' | 'pool' | 'base' | 'quote' | 'side' | 'b' | 'q', string> & { n: number };
  for (const table of ['trades', 'trades_by_quote']) {
    const rows = await visibleRows<Row>(
      pipeline,
      (database, where) =>
        `SELECT block, lower(hex(t.tx)) AS tx, tx_ordinal AS n, lower(hex(t.wallet)) AS wallet, lower(hex(t.pool)) AS pool,
         lower(hex(t.base)) AS base, lower(hex(t.quote)) AS quote, side, toString(base_amount) AS b,
         toString(quote_amount) AS q FROM ${database}.${table} AS t WHERE ${where} ORDER BY block, ordinal`,
    );
    const found = rows.map(({ block, tx, n: number, wallet, pool, base, quote, side, b, q }) => {
      const [baseSide, quoteSide] = [
        { mint: base, amount: BigInt(b) },
        { mint: quote, amount: BigInt(q) },
      ];
      const [input, output] = side === 'buy' ? [quoteSide, baseSide] : [baseSide, quoteSide];
      const amounts = { inputMint: input.mint, inputAmount: input.amount };
      return line({
        ...{ block: Number(block), tx, number, wallet, pool, ...amounts },
        ...{ outputMint: output.mint, outputAmount: output.amount },
      });
    });
    expect({ table, found }).toEqual({ table, found: truth.trades.map(line) });
  }
}

/** The transfers of every owner add up to what its balances changed by. */
async function checkTransfersTable(pipeline: SolanaPipeline, truth: ChainTruth): Promise<void> {
  const rows = await visibleRows<{ key: string; sum: string }>(pipeline, (database, where) => {
    const half = (wallet: string, sign: string) =>
      `SELECT token, ${wallet} AS wallet, ${sign}toInt256(amount) AS change FROM ${database}.transfers WHERE ${where}`;
    return `SELECT lower(concat(hex(token), ' ', hex(wallet))) AS key, toString(sum(change)) AS sum
      FROM (${half('to_wallet', '')} UNION ALL ${half('from_wallet', '-')}) GROUP BY token, wallet HAVING sum(change) != 0`;
  });
  const owners = rows.filter(({ key }) => !key.endsWith(ZERO_ADDRESS)).map(({ key, sum }) => `${key} ${sum}`);
  expect(owners.sort()).toEqual([...truth.moved].map(([key, sum]) => `${key} ${sum}`).sort());
}

/** Reserves in the fold are what the chain's own accounts hold: vaults of pools, states of curves. */
async function checkPools(pipeline: SolanaPipeline, truth: ChainTruth): Promise<void> {
  const { rpcUrl, runner } = pipeline.market;
  const { pools, curves } = runner.contents();
  const states = await pipeline.poolStates();
  const known = new Set(truth.trades.map(({ pool }) => pool));
  expect([...states.keys()].sort()).toEqual([...known].sort());
  const found = [...states.values()].map(({ pool, reserve0, reserve1 }) => `${pool} ${reserve0} ${reserve1}`);
  const expected: string[] = [];
  const compare = (pool: string, reserves: [mint: string, amount: bigint][]): void => {
    const [zero, one] = reserves.sort(([a], [b]) => (idOf(a) < idOf(b) ? -1 : 1));
    expected.push(`${idOf(pool)} ${zero![1]} ${one![1]}`);
  };
  const balance = async (vault: string): Promise<bigint> => {
    type Answer = { value: { amount: string } };
    return BigInt((await ask<Answer>(rpcUrl, 'getTokenAccountBalance', vault, CONFIRMED)).value.amount);
  };
  for (const { address, mintA, mintB, vaultA, vaultB } of pools) {
    if (!known.has(idOf(address))) continue;
    compare(address, [
      [mintA, await balance(vaultA)],
      [mintB, await balance(vaultB)],
    ]);
  }
  for (const { address, mint, quoteMint } of curves) {
    if (!known.has(idOf(address))) continue;
    const { status, realQuote, remaining } = readCurve(idOf(address), (await accountData(rpcUrl, address))!)!;
    const [quote, base] = status === 'graduated' ? [0n, 0n] : [realQuote, remaining];
    compare(address, [
      [mint, base],
      [quoteMint, quote],
    ]);
  }
  expect(found.sort()).toEqual(expected.sort());
}

/** Tokens of the log: names and place of the description as they were made, decimals and authorities as the mint says. */
async function checkTokens(pipeline: SolanaPipeline, groups: readonly BlocksGroup[]): Promise<void> {
  const { rpcUrl, runner } = pipeline.market;
  const contents = runner.contents();
  const named = new Map(
    [
      ...contents.tokens.map(({ address, name, symbol }) => ({ address, name, symbol, uri: uriOf(symbol) })),
      ...contents.curves.map(({ mint, name, symbol }) => ({ address: mint, name, symbol, uri: pictureUri(symbol) })),
    ].map(({ address, ...texts }) => [idOf(address), texts]),
  );
  const blocks = survivors(groups);
  const [said, uris] = [new Map<string, Hex | null>(), new Map<Hex, string | null>()];
  for (const event of blocks.flatMap(({ events }) => events)) {
    if (event.kind === 'authority') said.set(`${event.role} ${event.token}`, event.authority);
    if (event.kind === 'metadata') uris.set(event.token, event.uri);
  }
  const tokens = blocks.flatMap((block) => block.tokens);
  expect(tokens.length).toBeGreaterThan(10);
  for (const { token, decimals, name, symbol } of tokens) {
    const data = (await accountData(rpcUrl, solanaIds.formatAddress(token)))!;
    const optional = (at: number) =>
      data.readUInt32LE(at) === 1 ? data.subarray(at + 4, at + 36).toString('hex') : null;
    const uri = uris.get(token);
    const authorities = { mint: said.get(`mint ${token}`), freeze: said.get(`freeze ${token}`) };
    expect({ token, decimals, name, symbol, uri, ...authorities }).toEqual({
      ...{ token, decimals: data[44], ...named.get(token), mint: optional(0), freeze: optional(46) },
    });
  }
}

/** REST's trades of some tokens, read page by page. */
export async function checkAnswers(
  { client, market }: Pick<SolanaPipeline, 'client' | 'market'>,
  truth: ChainTruth,
  tokens: number,
): Promise<void> {
  const traded = [...new Set(truth.trades.flatMap(({ inputMint, outputMint }) => [inputMint, outputMint]))];
  for (const token of market.random.shuffle(traded).slice(0, tokens)) {
    const address = solanaIds.formatAddress(token);
    const pages = await client.pages<TradesAnswer>(`/tokens/sol/${address}/trades?limit=60`);
    const found = pages
      .flatMap(({ data }) => data)
      .map(
        ({
          id,
          chain,
          side,
          token: of,
          quoteToken,
          tokenAmount,
          quoteAmount,
          wallet,
          pool,
          dex,
          block,
          time,
          signature,
        }) =>
          [id, chain, side, of, tokenAmount, quoteToken, quoteAmount, wallet, pool, dex, block, time, signature].join(
            ' ',
          ),
      );
    const expected = truth.trades
      .filter(({ inputMint, outputMint }) => inputMint === token || outputMint === token)
      .map((trade) => answerLine(market.runner.contents(), trade, token));
    expect({ address, found }).toEqual({ address, found: expected.reverse() });
  }
}

type Contents = ReturnType<SolanaPipeline['market']['runner']['contents']>;

function answerLine({ tokens }: Contents, trade: TruthTrade, token: Hex): string {
  const sells = trade.inputMint === token;
  const shown = (mint: Hex, amount: bigint): string => {
    const decimals = tokens.find(({ address }) => idOf(address) === mint)?.decimals ?? 6;
    const digits = amount.toString().padStart(decimals + 1, '0');
    return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '');
  };
  const [own, other] = sells
    ? [shown(token, trade.inputAmount), shown(trade.outputMint, trade.outputAmount)]
    : [shown(token, trade.outputAmount), shown(trade.inputMint, trade.inputAmount)];
  const address = solanaIds.formatAddress;
  const signature = solanaIds.formatTx(trade.tx);
  const quote = address(sells ? trade.outputMint : trade.inputMint);
  return [
    ...[`${signature}-${trade.number}`, 'sol', sells ? 'sell' : 'buy', address(token), own, quote, other],
    ...[address(trade.wallet), address(trade.pool), trade.dex, trade.block, trade.time, signature],
  ].join(' ');
}

/** What moved since the first block is what owners hold at the head, asked of the node for some of them. */
async function checkBalances({ market }: SolanaPipeline, truth: ChainTruth): Promise<void> {
  const owners = [...new Set([...truth.moved.keys()].map((key) => key.split(' ')[1]!))];
  for (const owner of market.random.shuffle(owners).slice(0, 12)) {
    const held = await heldByOwner(market.rpcUrl, owner);
    const found = [...truth.moved].filter(([key]) => key.endsWith(` ${owner}`));
    expect({ owner, moved: found.map(([key, sum]) => `${key.split(' ')[0]} ${sum}`).sort() }).toEqual({
      owner,
      moved: [...held].map(([mint, sum]) => `${mint} ${sum}`).sort(),
    });
  }
}

const TOKEN_PROGRAMS = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];

/** What an owner's token accounts hold, by mint; nothing where they hold none. */
export async function heldByOwner(rpcUrl: string, owner: Hex): Promise<Map<Hex, bigint>> {
  const held = new Map<Hex, bigint>();
  for (const programId of TOKEN_PROGRAMS) {
    const config = { ...CONFIRMED, encoding: 'base64' };
    type Answer = { value: { account: { data: [string, string] } }[] };
    const method = 'getTokenAccountsByOwner';
    const args = [solanaIds.formatAddress(owner), { programId }, config];
    for (const { account } of (await ask<Answer>(rpcUrl, method, ...args)).value) {
      const data = Buffer.from(account.data[0], 'base64');
      const [mint, amount] = [data.subarray(0, 32).toString('hex'), data.readBigUInt64LE(64)];
      if (amount > 0n) held.set(mint, (held.get(mint) ?? 0n) + amount);
    }
  }
  return held;
}

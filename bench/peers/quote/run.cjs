// One public router over the pools of a market file: for each case the time of its own search, the pools of its best route
// and what it says that it gives. Usage: node run.cjs <market.json> <router> <max hops> <seconds>; answers JSON on stdout.
const { readFileSync } = require('node:fs');

// They warn of every address without capital letters.
console.warn = () => undefined;

const [, , file, router, hopsText, secondsText] = process.argv;
const market = JSON.parse(readFileSync(file, 'utf8'));
const maxHops = Number(hopsText);
const decimals = new Map(market.tokens.map((token) => [token.token, token.decimals]));
const address = (id) => `0x${id}`;

const routers = {
  'v2-sdk': () => {
    const { Token, CurrencyAmount } = require('@uniswap/sdk-core');
    const { Pair, Trade } = require('@uniswap/v2-sdk');
    const tokens = tokensOf((id) => new Token(1, address(id), decimals.get(id)));
    const ids = new Map();
    for (const pool of market.pools.filter((each) => each.kind === 'constant-product')) {
      const pair = new Pair(
        CurrencyAmount.fromRawAmount(tokens.get(pool.token0), pool.reserve0),
        CurrencyAmount.fromRawAmount(tokens.get(pool.token1), pool.reserve1),
      );
      ids.set(pair, pool.pool);
    }
    const pairs = [...ids.keys()];
    return ({ tokenIn, tokenOut, amountIn }) => {
      const amount = CurrencyAmount.fromRawAmount(tokens.get(tokenIn), amountIn);
      const [trade] = Trade.bestTradeExactIn(pairs, amount, tokens.get(tokenOut), { maxHops, maxNumResults: 1 });
      if (!trade) return null;
      return { pools: trade.route.pairs.map((pair) => ids.get(pair)), amountOut: `${trade.outputAmount.quotient}` };
    };
  },
  'v3-sdk': () => {
    const { Token, CurrencyAmount } = require('@uniswap/sdk-core');
    const { Pool, Trade } = require('@uniswap/v3-sdk');
    const tokens = tokensOf((id) => new Token(1, address(id), decimals.get(id)));
    const ids = new Map();
    for (const pool of market.pools.filter((each) => each.kind === 'concentrated')) {
      const [token0, token1] = [tokens.get(pool.token0), tokens.get(pool.token1)];
      const ticks = pool.ticks.map(({ tick, liquidityGross, liquidityNet }) => ({
        index: tick,
        liquidityGross,
        liquidityNet,
      }));
      ids.set(new Pool(token0, token1, pool.feePpm, pool.sqrtPriceX96, pool.liquidity, pool.tick, ticks), pool.pool);
    }
    const pools = [...ids.keys()];
    return async ({ tokenIn, tokenOut, amountIn }) => {
      const amount = CurrencyAmount.fromRawAmount(tokens.get(tokenIn), amountIn);
      const [trade] = await Trade.bestTradeExactIn(pools, amount, tokens.get(tokenOut), { maxHops, maxNumResults: 1 });
      if (!trade) return null;
      const used = trade.swaps[0].route.pools;
      return { pools: used.map((pool) => ids.get(pool)), amountOut: `${trade.outputAmount.quotient}` };
    };
  },
  'smart-router': () => {
    const { SmartRouter, PoolType } = require('@pancakeswap/smart-router');
    const { ERC20Token, CurrencyAmount, Percent, TradeType } = require('@pancakeswap/sdk');
    const tokens = tokensOf((id) => new ERC20Token(56, address(id), decimals.get(id), id.slice(0, 6)));
    const amountOf = (id, value) => CurrencyAmount.fromRawAmount(tokens.get(id), value);
    const pools = market.pools.map((pool) => {
      const [token0, token1] = [tokens.get(pool.token0), tokens.get(pool.token1)];
      const base = { address: address(pool.pool), tvlUSD: BigInt(Math.round(pool.dollars)) };
      if (pool.kind === 'constant-product') {
        const [reserve0, reserve1] = [amountOf(pool.token0, pool.reserve0), amountOf(pool.token1, pool.reserve1)];
        return { ...base, type: PoolType.V2, reserve0, reserve1 };
      }
      return {
        ...base,
        ...{ type: PoolType.V3, token0, token1, fee: pool.feePpm, tick: pool.tick },
        ...{ liquidity: BigInt(pool.liquidity), sqrtRatioX96: BigInt(pool.sqrtPriceX96) },
        ...{ token0ProtocolFee: new Percent(0, 1), token1ProtocolFee: new Percent(0, 1) },
        ticks: pool.ticks.map(({ tick, liquidityGross, liquidityNet }) => {
          return { index: tick, liquidityGross: BigInt(liquidityGross), liquidityNet: BigInt(liquidityNet) };
        }),
      };
    });
    const poolProvider = SmartRouter.createStaticPoolProvider(pools);
    const quoteProvider = SmartRouter.createOffChainQuoteProvider();
    // A route stays on one venue: one search a kind of pool, no splits, no price for gas.
    const search = async ({ tokenIn, tokenOut, amountIn }, type) => {
      const options = {
        ...{ maxHops, maxSplits: 1, distributionPercent: 100, gasPriceWei: 0n, poolProvider, quoteProvider },
        ...{ allowedPoolTypes: [type], quoterOptimization: false },
      };
      const amount = amountOf(tokenIn, amountIn);
      const trade = await SmartRouter.getBestTrade(amount, tokens.get(tokenOut), TradeType.EXACT_INPUT, options).catch(
        () => null,
      );
      if (!trade) return null;
      const used = trade.routes[0].pools.map((pool) => pool.address.slice(2));
      return { pools: used, amountOut: `${trade.outputAmount.quotient}` };
    };
    return async (each) => {
      const found = [await search(each, PoolType.V2), await search(each, PoolType.V3)].filter(Boolean);
      return found.sort((a, b) => (BigInt(a.amountOut) > BigInt(b.amountOut) ? -1 : 1))[0] ?? null;
    };
  },
};

function tokensOf(make) {
  return new Map(market.tokens.map(({ token }) => [token, make(token)]));
}

async function main() {
  const search = routers[router]();
  const results = [];
  let failed = 0;
  // The first question is asked twice, so that nothing is compiled for the first time on the clock.
  await Promise.resolve(search(market.cases[0])).catch(() => null);
  const until = performance.now() + Number(secondsText) * 1000;
  for (const each of market.cases) {
    const started = performance.now();
    try {
      const best = await search(each);
      results.push({ ms: performance.now() - started, best });
    } catch {
      // It refuses some of its own paths (a pool twice) and ends the whole search: no result and no time.
      failed++;
      results.push(null);
    }
    if (performance.now() > until) break;
  }
  process.stdout.write(JSON.stringify({ results, failed }));
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});

import { createPublicClient, encodePacked, http, type PublicClient, parseAbi } from 'viem';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { ChainPool, LocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import type { PoolKind } from '#libs/protocol/blocks.js';
import { LivePool } from '#libs/routing/pools/live-pool.js';
import type { Route, RouteHop } from '#libs/routing/search/route.js';

const ROUTER_ABI = parseAbi(['function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])']);
const QUOTER_ABI = parseAbi([
  'function quoteExactInput(bytes path, uint256 amountIn) returns (uint256, uint160[], uint32[], uint256)',
]);

const id = (address: string): Hex => address.slice(2).toLowerCase();
const at = (hex: Hex): `0x${string}` => `0x${hex}`;

/** Chains of pools of a local chain, priced by its contracts through viem, as an oracle of what is tested. */
export class LocalRoutes {
  private readonly client: PublicClient;

  constructor(
    private readonly chain: ChainSpec,
    private readonly local: LocalChain,
  ) {
    this.client = createPublicClient({ transport: http(local.rpcUrl) }) as PublicClient;
  }

  /** Every chain of so many different pools of one version that comes to no token twice. */
  paths(version: 'v2' | 'v3', hops: number): { pool: ChainPool; zeroForOne: boolean }[][] {
    const steps = this.local.pools
      .filter((pool) => pool.version === version)
      .flatMap((pool) => [true, false].map((zeroForOne) => ({ pool, zeroForOne })));
    type Path = typeof steps;
    const from = (step: Path[number]) => id(step.zeroForOne ? step.pool.token0 : step.pool.token1);
    const to = (step: Path[number]) => id(step.zeroForOne ? step.pool.token1 : step.pool.token0);
    let paths: Path[] = steps.map((step) => [step]);
    for (let n = 1; n < hops; n++) {
      paths = paths.flatMap((path) =>
        steps
          .filter((step) => from(step) === to(path[path.length - 1]!) && path.every((one) => from(one) !== to(step)))
          .map((step) => [...path, step]),
      );
    }
    return paths;
  }

  /** So many USD of the token that goes in, at the prices where trading started. */
  worth([first]: { pool: ChainPool; zeroForOne: boolean }[], usd: number): bigint {
    const into = first!.zeroForOne ? first!.pool.token0 : first!.pool.token1;
    const token = this.local.tokens.find(({ address }) => id(address) === id(into))!;
    return (BigInt(Math.round((usd / token.usd) * 1e6)) * 10n ** BigInt(token.decimals)) / 1_000_000n;
  }

  /** A route as it would be quoted at a block: every hop's amount is the contracts' own. */
  async route(path: { pool: ChainPool; zeroForOne: boolean }[], amountIn: bigint, block?: bigint): Promise<Route> {
    const protocol = path[0]!.pool.version;
    const kind: PoolKind = protocol === 'v2' ? 'constant-product' : 'concentrated';
    const { venue } = this.chain.venues.find((one) => one.protocol === protocol)!;
    const hops: RouteHop[] = [];
    let amount = amountIn;
    for (const { pool, zeroForOne } of path) {
      const [token0, token1] = [id(pool.token0), id(pool.token1)];
      const record = { pool: id(pool.address), venue, kind, token0, token1, created: true };
      const live = new LivePool({ ...record, feePpm: pool.fee, tickSpacing: pool.tickSpacing }, 0);
      const hop = { pool: live, zeroForOne, amountIn: amount, amountOut: 0n, feeAmount: 0n };
      hop.amountOut = await this.quote({ venue, hops: [hop], amountOut: 0n }, block);
      hops.push(hop);
      amount = hop.amountOut;
    }
    return { venue, hops, amountOut: amount };
  }

  /** The whole path in one call. */
  async quote(route: Route, blockNumber?: bigint): Promise<bigint> {
    const { contracts } = this.chain.venues.find(({ venue }) => venue === route.venue)!;
    const { amountIn } = route.hops[0]!;
    const tokens = route.hops.flatMap(({ pool, zeroForOne }, n) => {
      const [into, out] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
      return n === 0 ? [into, out] : [out];
    });
    if (!contracts!.quoter) {
      const args = [amountIn, tokens.map(at)] as const;
      const call = { address: at(contracts!.router), abi: ROUTER_ABI, functionName: 'getAmountsOut', args } as const;
      const amounts = await this.client.readContract({ ...call, blockNumber });
      return amounts[amounts.length - 1]!;
    }
    const types = tokens.flatMap((_, n) => (n === 0 ? ['address'] : ['uint24', 'address']));
    const values = tokens.flatMap((token, n) => (n === 0 ? [at(token)] : [route.hops[n - 1]!.pool.feePpm, at(token)]));
    const args = [encodePacked(types as never, values as never), amountIn] as const;
    const call = { address: at(contracts!.quoter.address), abi: QUOTER_ABI, functionName: 'quoteExactInput', args };
    const { result } = await this.client.simulateContract({
      ...call,
      functionName: 'quoteExactInput',
      args,
      blockNumber,
    });
    return result[0];
  }

  async head(): Promise<{ height: number; hash: Hex; time: number }> {
    const { number, hash, timestamp } = await this.client.getBlock();
    return { height: Number(number), hash: hash.slice(2), time: Number(timestamp) * 1000 };
  }
}

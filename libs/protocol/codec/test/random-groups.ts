import {
  type BlockGroup,
  type BlocksGroup,
  type ChainEvent,
  type PoolAnchor,
  type PoolKind,
  type PoolRecord,
  poolKinds,
  type ReferenceSet,
  type TickRecord,
  type TokenRecord,
} from '../../blocks.js';
import type { Envelope } from '../../envelope.js';
import {
  type FactsGroup,
  type PoolStateFact,
  type PriceFact,
  type ReferencePrice,
  type TradeFact,
  uncountedReasons,
} from '../../facts.js';
import type { PoolCopy, PoolCopyMark } from '../../pool-copy.js';
import { RandomValues } from './random-values.js';

/** Seeded groups with every field at its edges and in its middle: what a codec must carry, not what a chain would do. */
export class RandomGroups extends RandomValues {
  blocks(): BlocksGroup {
    const envelope = this.envelope();
    switch (this.int(12)) {
      case 0:
        return { kind: 'epoch', ...envelope, reference: this.reference() };
      case 1:
        return { kind: 'retract', ...envelope, fromSeq: this.natural() };
      case 2:
        return { kind: 'finalize', ...envelope, finalizedHeight: this.pick([-1, this.natural()]) };
      default:
        return this.block(envelope);
    }
  }

  facts(): FactsGroup {
    const envelope = { ...this.envelope(), inputHash: this.hex(16) };
    switch (this.int(11)) {
      case 0:
        return { kind: 'epoch', ...envelope, reference: this.reference() };
      case 1:
        return {
          kind: 'retract',
          ...envelope,
          fromSeq: this.natural(),
          ...this.proof(),
          poolStates: this.list(() => this.poolState()),
          prices: this.list(() => this.price()),
          references: this.list(() => this.referencePrice()),
          removedPools: this.list(() => this.id()),
          removedTokens: this.list(() => this.id()),
        };
      case 2:
        return { kind: 'finalize', ...envelope, finalizedHeight: this.pick([-1, this.natural()]) };
      default:
        return {
          kind: 'block',
          ...envelope,
          ...this.proof(),
          trades: this.list(() => this.trade()),
          transfers: this.list(() => ({
            ordinal: this.natural(),
            tx: this.id(),
            token: this.id(),
            from: this.id(),
            to: this.id(),
            amount: this.amount(),
          })),
          tokens: this.list(() => this.token()),
          pools: this.list(() => this.pool()),
          poolStates: this.list(() => this.poolState()),
          prices: this.list(() => this.price()),
          references: this.list(() => this.referencePrice()),
        };
    }
  }

  poolCopy(): PoolCopy {
    const record = { ...this.pool(), pool: this.hex(this.pick([20, 20, 32, 64])) };
    const state = this.poolState();
    const { concentrated } = state;
    const kind =
      concentrated === null ? 'constant-product' : this.pick(['concentrated', 'curve', 'shared', 'hooked'] as const);
    const whole = concentrated && { ...concentrated, ticksComplete: true };
    return {
      seq: this.natural(),
      record: { ...record, kind },
      state: { ...state, pool: record.pool, concentrated: whole },
    };
  }

  poolMark(): PoolCopyMark {
    const { seq, height, hash, time } = this.envelope();
    return { seq, height, hash, time };
  }

  private block(envelope: Envelope): BlocksGroup {
    const txs = Array.from({ length: 1 + this.int(6) }, () => ({
      ...{ id: this.id(), index: this.natural(), sender: this.id() },
    }));
    let ordinal = -1;
    const events = this.list((): ChainEvent => {
      ordinal += 1 + this.pick([0, 0, 1, this.int(300)]);
      return this.event(this.int(txs.length), ordinal);
    });
    return {
      kind: 'block',
      ...envelope,
      source: this.pick(['stream', 'http', 'history']),
      ...this.proof(),
      ...this.pick([{}, {}, { incomplete: true as const }]),
      observedAt: 1_700_000_000_000 + this.int(1e9),
      txs,
      tokens: this.list(() => this.token()),
      pools: this.list(() => this.pool()),
      events,
      anchors: this.list(() => this.anchor()),
      ...this.extras(txs.length),
    };
  }

  private anchor(): PoolAnchor {
    const anchor: PoolAnchor = {
      pool: this.id(),
      reserve0: this.amount(),
      reserve1: this.amount(),
      concentrated: this.maybe(() => ({
        sqrtPriceX96: this.amount(),
        tick: this.tick(),
        liquidity: this.amount(),
        ticks: this.ticks(),
      })),
    };
    if (anchor.concentrated === null && this.pick([true, false]))
      anchor.near = { sqrtPriceX96: this.amount(), amount0: this.amount(), amount1: this.amount() };
    return anchor;
  }

  private extras(transactions: number): Pick<BlockGroup, 'samples' | 'logs'> {
    const samples = this.list(() => ({ token: this.id(), wallet: this.id(), amount: this.amount() }));
    const logs = this.list(() => ({
      ...{ tx: this.int(transactions), ordinal: this.natural(), address: this.id(), data: this.hex(this.int(400)) },
      topics: Array.from({ length: this.int(5) }, () => this.id()),
    }));
    return { ...(samples.length > 0 && { samples }), ...(logs.length > 0 && { logs }) };
  }

  private event(tx: number, ordinal: number): ChainEvent {
    const pool = this.id();
    switch (this.int(11)) {
      case 0:
        return { kind: 'reserves', tx, ordinal, pool, reserve0: this.amount(), reserve1: this.amount() };
      case 1:
        return {
          kind: 'liquidity',
          tx,
          ordinal,
          pool,
          owner: this.id(),
          tickLower: this.tick(),
          tickUpper: this.tick(),
          liquidityDelta: this.signed(),
          amount0: this.signed(),
          amount1: this.signed(),
        };
      case 2:
        return { kind: 'flow', tx, ordinal, pool, amount0: this.signed(), amount1: this.signed() };
      case 3:
        return { kind: 'initialize', tx, ordinal, pool, sqrtPriceX96: this.amount(), tick: this.tick() };
      case 4:
        return { kind: 'pool-vaults', tx, ordinal, pool, vault0: this.id(), vault1: this.id() };
      case 5:
        return {
          kind: 'vaults',
          tx,
          ordinal,
          pool,
          reserve0: this.maybe(() => this.amount()),
          reserve1: this.maybe(() => this.amount()),
        };
      case 6:
        return {
          kind: 'authority',
          tx,
          ordinal,
          token: pool,
          role: this.pick(['mint', 'freeze', 'metadata']),
          authority: this.maybe(() => this.id()),
        };
      case 7:
        return {
          kind: 'metadata',
          tx,
          ordinal,
          token: pool,
          uri: this.maybe(() => this.text()),
          standard: this.pick(['token', 'token-2022']),
          transferFeeBps: this.int(10_001),
          extensions: this.list(() => this.pick(['transferFeeConfig', 'metadataPointer', ''])),
        };
      case 8:
        return {
          kind: 'launch',
          tx,
          ordinal,
          launchpad: this.pick(['pumpfun', 'tidepool']),
          step: this.pick(['created', 'progress', 'graduated']),
          token: pool,
          curve: this.id(),
          party: this.maybe(() => this.id()),
          progressPpm: this.int(1_000_001),
        };
      case 10:
        return { kind: 'payment', tx, ordinal, wallet: this.id(), paid: this.signed(), fees: this.amount() };
      case 9:
        return { kind: 'transfer', tx, ordinal, token: pool, from: this.id(), to: this.id(), amount: this.amount() };
      default:
        return {
          kind: 'swap',
          tx,
          ordinal,
          pool,
          amount0: this.signed(),
          amount1: this.signed(),
          sender: this.id(),
          recipient: this.id(),
          after: this.maybe(() => ({
            sqrtPriceX96: this.amount(),
            liquidity: this.amount(),
            tick: this.tick(),
          })),
        };
    }
  }

  private trade(): TradeFact {
    return {
      ordinal: this.natural(),
      txOrdinal: this.int(40),
      tx: this.id(),
      wallet: this.id(),
      sender: this.id(),
      pool: this.id(),
      venue: this.pick(['uniswap-v2', 'uniswap-v3', 'käse', '']),
      base: this.id(),
      quote: this.id(),
      baseDecimals: this.int(37),
      quoteDecimals: this.int(300),
      side: this.pick(['buy', 'sell']),
      baseAmount: this.amount(),
      quoteAmount: this.amount(),
      priceUsd: this.maybe(() => this.amount()),
      coinUsd: this.pick([null, 3000n * 10n ** 36n, 3000n * 10n ** 36n, this.amount()]),
      volumeUsd: this.maybe(() => this.amount()),
      volumeCoin: this.maybe(() => this.amount()),
      uncounted: this.pick([null, 'unknown', ...uncountedReasons]),
    };
  }

  private proof(): Pick<BlockGroup, 'proof'> {
    return this.pick([{}, { proof: 'full' }, { proof: 'sampled' }, { proof: 'none' }]);
  }

  private envelope(): Envelope {
    return {
      chain: this.pick(['eth', 'sol', 'base', 'a.B_c-9']),
      epoch: this.pick([0, 1, 2 ** 32 - 1]),
      seq: this.natural(),
      height: this.pick([-1, 0, this.natural()]),
      hash: this.hex(this.pick([0, 32, 64])),
      parentHash: this.hex(this.pick([0, 32])),
      time: this.pick([0, 1_700_000_000_000 + this.int(1e9), -1]),
    };
  }

  private reference(): ReferenceSet {
    return {
      family: this.pick(['evm', 'solana']),
      genesisHash: this.hex(32),
      startHeight: this.natural(),
      decoderVersion: this.int(1000),
      coin: { token: this.id(), symbol: this.text(), decimals: this.int(40) },
      stables: this.list(() => this.id()),
      rules: { minQuoteUsd: this.pick([10, 0.25]), depegBps: 100, spotFactor: 10, dustCents: this.int(9) },
    };
  }

  private token(): TokenRecord {
    return {
      token: this.id(),
      decimals: this.maybe(() => this.int(256)),
      symbol: this.maybe(() => this.text()),
      name: this.maybe(() => this.text()),
      totalSupply: this.maybe(() => this.amount()),
    };
  }

  private pool(): PoolRecord {
    return {
      pool: this.id(),
      venue: this.pick(['uniswap-v2', 'uniswap-v3', 'pancakeswap-v3']),
      kind: this.pick(Object.keys(poolKinds) as PoolKind[]),
      token0: this.id(),
      token1: this.id(),
      feePpm: this.int(1_000_001),
      tickSpacing: this.int(16_384),
      created: this.pick([true, false]),
    };
  }

  private poolState(): PoolStateFact {
    return {
      pool: this.id(),
      reserve0: this.amount(),
      reserve1: this.amount(),
      concentrated: this.maybe(() => ({
        sqrtPriceX96: this.amount(),
        tick: this.tick(),
        liquidity: this.amount(),
        ticks: this.ticks(),
        ticksComplete: this.pick([true, false]),
      })),
      ...this.pick<Pick<PoolStateFact, 'anchored' | 'setApart'>>([
        { anchored: true, setApart: null },
        { anchored: false, setApart: null },
        { anchored: false, setApart: 'amounts' },
        { anchored: false, setApart: 'ticks' },
      ]),
    };
  }

  private price(): PriceFact {
    return {
      token: this.id(),
      pool: this.maybe(() => this.id()),
      quote: this.maybe(() => this.id()),
      spot: this.maybe(() => this.amount()),
      level: this.int(5),
      backing: this.maybe(() => `${this.int(40)};${this.amount()}`),
    };
  }

  private referencePrice(): ReferencePrice {
    return { token: this.id(), usd: this.maybe(() => this.amount()) };
  }

  private ticks(): TickRecord[] {
    return this.list(() => ({ tick: this.tick(), liquidityGross: this.amount(), liquidityNet: this.signed() }));
  }

  private tick(): number {
    return this.pick([0, -887_272, 887_272, this.int(1_774_545) - 887_272]);
  }
}
